package verdict

import (
	"reflect"
	"testing"
)

// Every member of a state that is another makes it another state.
func TestMovedByEveryMember(t *testing.T) {
	typ := reflect.TypeFor[State]()
	for i := range typ.NumField() {
		var was, now State
		filled(t, reflect.ValueOf(&now).Elem().Field(i))
		if want := typ.Field(i).Name != "ValidatedAt"; Moved(was, now) != want {
			t.Errorf("%s: Moved = %t, want %t", typ.Field(i).Name, !want, want)
		}
		if Moved(now, now) {
			t.Errorf("%s: a state moved from itself", typ.Field(i).Name)
		}
	}
}

// filled makes v something else than its zero.
func filled(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				filled(t, f)
				return
			}
		}
		v.Set(reflect.ValueOf(start).Convert(v.Type()))
	default:
		t.Fatalf("a %s has no other value here", v.Type())
	}
}

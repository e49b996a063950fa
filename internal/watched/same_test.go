package watched

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/store"
)

// A member that is added later is compared, or is named here.
func TestSameButDate(t *testing.T) {
	free := map[string]bool{"Addr": true, "Caches": true, "Body": true, "Date": true, "Expires": true}
	agent := func() *store.Agent {
		return &store.Agent{Memory: fetch.Memory{Entries: []fetch.Entry{{Vary: []string{"Accept"}}}}}
	}
	if !sameButDate(agent(), agent()) {
		t.Fatal("equal records differ")
	}
	for _, tt := range []struct {
		name string
		of   func(*store.Agent) any
	}{
		{"the agent", func(a *store.Agent) any { return a }},
		{"its memory", func(a *store.Agent) any { return &a.Memory }},
		{"an entry", func(a *store.Agent) any { return &a.Memory.Entries[0] }},
	} {
		typ := reflect.TypeOf(tt.of(agent())).Elem()
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			if name == "Memory" {
				continue // which is looked at by itself
			}
			moved := agent()
			touch(t, reflect.ValueOf(tt.of(moved)).Elem().Field(i))
			if got := sameButDate(moved, agent()); got != free[name] {
				t.Errorf("%s: another %s: sameButDate = %v, want %v", tt.name, name, got, free[name])
			}
		}
	}
}

// touch makes v another than it is.
func touch(t *testing.T, v reflect.Value) {
	t.Helper()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(1, 0)
	case *netip.AddrPort:
		*x = netip.MustParseAddrPort("192.0.2.1:443")
	case **store.Pause:
		*x = new(store.Pause)
	case *fetch.Caches:
		x.Age = "1"
	case *[]fetch.Entry:
		*x = nil
	case *[]string:
		*x = []string{"Origin"}
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString("other")
		case reflect.Int:
			v.SetInt(7)
		case reflect.Bool:
			v.SetBool(true)
		default:
			t.Fatalf("a field of type %s: teach this test about it", v.Type())
		}
	}
}

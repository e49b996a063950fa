package rpc

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// unknownFields are the places in m, as JSON pointers, of messages with fields that
// their type has not, in order. The key of a map stands as "*".
func unknownFields(m protoreflect.Message) []string {
	list := unknownBelow(m, "")
	slices.Sort(list)
	return slices.Compact(list)
}

func unknownBelow(m protoreflect.Message, path string) []string {
	var list []string
	if len(m.GetUnknown()) > 0 {
		list = append(list, cmp.Or(path, "/"))
	}
	visit := func(v protoreflect.Value, path string) {
		if m, ok := v.Interface().(protoreflect.Message); ok {
			list = append(list, unknownBelow(m, path)...)
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + "/" + f.JSONName()
		switch {
		case f.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				visit(v, at+"/*")
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				visit(v.List().Get(i), fmt.Sprint(at, "/", i))
			}
		default:
			visit(v, at)
		}
		return true
	})
	return list
}

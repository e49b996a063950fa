package lockfile

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2alock/a2alock/internal/shape"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	const id = "urn:a2alock:lockfile:1"
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaAcceptsGoldenLocks(t *testing.T) {
	s := compileSchema(t)
	paths, _ := filepath.Glob("testdata/golden/*")
	if len(paths) == 0 {
		t.Fatal("no golden locks")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// beyondSchema are the invalid files whose fault no schema can name.
var beyondSchema = []string{"repeated", "agent-userinfo-odd", "secrets", "closed-place", "hidden-name", "invalid-utf8", "lone-surrogate"}

func TestSchemaRefusesWhatParseRefuses(t *testing.T) {
	s := compileSchema(t)
	paths, _ := filepath.Glob("testdata/invalid/*.json")
	if len(paths) == 0 {
		t.Fatal("no invalid files")
	}
	refused := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil || slices.Contains(beyondSchema, strings.TrimSuffix(filepath.Base(path), ".json")) {
			continue // no JSON at all, or read without the fault
		}
		if s.Validate(v) == nil {
			t.Errorf("%s is valid by the schema", path)
		}
		refused++
	}
	if refused < 10 {
		t.Errorf("the schema judged %d files, want 10 or more", refused)
	}
}

// schemaNode is the part of a schema that has a counterpart in Go.
type schemaNode struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"`
	Properties map[string]*schemaNode `json:"properties"`
	Additional *schemaNode            `json:"additionalProperties"`
	Items      *schemaNode            `json:"items"`
	Required   []string               `json:"required"`
	OneOf      []*schemaNode          `json:"oneOf"`
	Else       *schemaNode            `json:"else"`
	Enum       []string               `json:"enum"`
	Const      any                    `json:"const"`
	Min        int                    `json:"minItems"`
	Defs       map[string]*schemaNode `json:"$defs"`
}

// UnmarshalJSON reads the schema true, which allows anything, as an empty node.
func (n *schemaNode) UnmarshalJSON(data []byte) error {
	if string(data) == "true" {
		return nil
	}
	type plain schemaNode
	return json.Unmarshal(data, (*plain)(n))
}

// TestSchemaAgreesWithTypes walks the shape of a lock and the schema together.
func TestSchemaAgreesWithTypes(t *testing.T) {
	root := new(schemaNode)
	if err := json.Unmarshal(Schema(), root); err != nil {
		t.Fatal(err)
	}
	w := schemaWalk{T: t, defs: root.Defs}
	w.compare(lockShape(), root, "")
	if w.seen < 100 {
		t.Errorf("compared %d places, want 100 or more", w.seen)
	}
}

type schemaWalk struct {
	*testing.T
	defs map[string]*schemaNode
	seen int
}

// resolve follows references, with the properties beside them, and the one
// form that is not null or not a text.
func (w *schemaWalk) resolve(n *schemaNode) *schemaNode {
	for n.Ref != "" {
		def, ok := w.defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
		if !ok {
			w.Fatalf("no definition %s", n.Ref)
		}
		merged := *def
		merged.Properties = maps.Clone(def.Properties)
		maps.Copy(merged.Properties, n.Properties)
		n = &merged
	}
	if len(n.OneOf) == 2 {
		return w.resolve(n.OneOf[1])
	}
	if n.Else != nil {
		return n.Else
	}
	return n
}

func (w *schemaWalk) compare(s *shape.Shape, n *schemaNode, at string) {
	w.seen++
	if n == nil {
		w.Errorf("%s: not in the schema", at)
		return
	}
	n = w.resolve(n)
	kinds := map[string]byte{"object": '{', "array": '[', "string": '"', "boolean": 't'}
	kind := byte(0)
	switch v := n.Type.(type) {
	case string:
		kind = kinds[v]
	case []any:
		kind = kinds[v[0].(string)]
	default:
		if n.Enum != nil {
			kind = '"'
		} else if n.Const != nil {
			kind = '0'
		}
	}
	if kind != byte(s.Kind) {
		w.Errorf("%s: the schema has %q, the type %q", at, kind, byte(s.Kind))
	}
	if slices.Sort(n.Required); !slices.Equal(n.Required, slices.Sorted(slices.Values(s.Required))) {
		w.Errorf("%s: the schema requires %q, the reader %q", at, n.Required, s.Required)
	}
	for _, f := range s.Fields {
		w.compare(f.Shape, n.Properties[f.Name], at+"/"+f.Name)
	}
	for name := range n.Properties {
		if _, ok := s.Known(name); !ok {
			w.Errorf("%s/%s: not in the types", at, name)
		}
	}
	switch {
	case s.IsMap() && s.Elem.Kind != 0:
		w.compare(s.Elem, n.Additional, at+"/*")
	case s.Kind == '[' && s.Elem.Kind != 0:
		w.compare(s.Elem, n.Items, at+"/*")
	}
}

// TestPlacesExist holds the table of places to places that there are.
func TestPlacesExist(t *testing.T) {
	var at []string
	var walk func(s *shape.Shape, p string)
	walk = func(s *shape.Shape, p string) {
		at = append(at, p)
		for _, f := range s.Fields {
			walk(f.Shape, p+"/"+f.Name)
		}
		if s.Elem != nil {
			walk(s.Elem, p+"/*")
		}
	}
	walk(lockShape(), "")
	for p := range places() {
		if !slices.Contains(at, p) {
			t.Errorf("places has %s, which no lock has", p)
		}
	}
}

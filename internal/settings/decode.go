package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/a2alock/a2alock/internal/variable"
)

// maxAliased bounds the values that are read through aliases, so that a small
// file stays a small config.
const maxAliased = 10_000

// A Decoder reads a tree of nodes, and gathers the faults.
type Decoder struct {
	Form
	file    *File
	faults  []fault
	aliased int
	given   map[string]bool // pointers of keys that have a value
	later   []func()
}

// Later has check called once the whole file is read.
func (d *Decoder) Later(check func()) { d.later = append(d.later, check) }

// Mapping reads v as a mapping of the given keys, of which those in required
// must be there; false, and it has been reported, when v is none.
func (d *Decoder) Mapping(v Value, keys []Key, required ...string) bool {
	ok := d.Entries(v, func(name string, k, v Value) {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
		if i < 0 {
			k.name = Plain(name)
			d.unknown(k, name, keys)
			return
		}
		if v.node.ShortTag() == "!!null" && v.node.Kind == yaml.ScalarNode && v.node.Style&yaml.TaggedStyle == 0 {
			return // a key whose entries are commented out keeps its default
		}
		d.given[v.Pointer], v.secret = true, keys[i].Secret
		if keys[i].Read != nil {
			keys[i].Read(d, v)
		} else if d.Mapping(v, keys[i].Keys) && keys[i].Then != nil {
			keys[i].Then(d, v)
		}
	})
	for _, name := range required {
		if ok && !d.Has(v, name) {
			d.Fail(v, "want the key %s", name)
		}
	}
	return ok
}

// Has reports whether the mapping at v, of which the Pointer is enough, gives the
// key a value.
func (d *Decoder) Has(v Value, name string) bool { return d.given[v.Pointer+"/"+name] }

func (d *Decoder) unknown(k Value, name string, here []Key) {
	advice := ""
	if d.Advice != nil && len(d.faults) < MaxFaults { // a nearest key takes its time
		advice = d.Advice(name, here)
	}
	d.Fail(k, "unknown key%s", advice)
}

// Entries calls each with the key and the value of every entry of the mapping
// at v; false, and it has been reported, when v is none.
func (d *Decoder) Entries(v Value, each func(name string, k, v Value)) bool {
	v, ok := d.resolve(v)
	if !ok {
		return false
	}
	if v.node.Kind != yaml.MappingNode {
		d.Fail(v, "%s: want a mapping", v.describe())
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k := v.at(v.node.Content[i])
		k.secret = false
		if k.node.Kind != yaml.ScalarNode || k.node.Style&yaml.TaggedStyle != 0 {
			d.Fail(k, "%s: want a plain key", k.describe())
			continue
		}
		name := k.node.Value
		if first, ok := lines[name]; ok {
			k.name = Plain(name)
			d.Fail(k, "repeated key (first at line %d)", first)
			continue
		}
		lines[name] = k.Line
		e := v.at(v.node.Content[i+1])
		e.Pointer = v.Pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		e.name = strings.TrimPrefix(v.name+"."+Plain(name), ".")
		d.file.lines[e.Pointer] = k.Line
		each(name, k, e)
	}
	return true
}

// List reads v as a list whose entries each reads. It is never nil, so that an
// empty list differs from none.
func List[T any](d *Decoder, v Value, each func(v Value, t *T)) []T {
	out := []T{}
	v, ok := d.resolve(v)
	if !ok {
		return out
	}
	if v.node.Kind != yaml.SequenceNode {
		d.Fail(v, "%s: want a list", v.describe())
		return out
	}
	for i := range v.node.Content {
		e := v.Entry(i)
		d.file.lines[e.Pointer] = e.Line
		var t T
		each(e, &t)
		out = append(out, t)
	}
	return out
}

// Entry is the i-th entry of the list at v.
func (v Value) Entry(i int) Value {
	e := v.at(v.content().Content[i])
	e.name = fmt.Sprintf("%s[%d]", v.name, i)
	e.Pointer = v.Pointer + "/" + strconv.Itoa(i)
	return e
}

// content is the node of v, or that which its alias leads to.
func (v Value) content() *yaml.Node {
	if v.node.Kind == yaml.AliasNode {
		return v.node.Alias
	}
	return v.node
}

// IsList reports whether v is a list, or an alias for one.
func (v Value) IsList() bool { return v.content().Kind == yaml.SequenceNode }

// resolve follows an alias. It returns false, and has reported it, when aliases
// lead to too much, or the value has a tag: a tag asks for types that a config
// does not have.
func (d *Decoder) resolve(v Value) (Value, bool) {
	if v.node.Kind == yaml.AliasNode {
		v.node, v.aliased = v.node.Alias, true
	}
	if v.aliased {
		if d.aliased++; d.aliased > maxAliased {
			if d.aliased == maxAliased+1 {
				d.Fail(v, "aliases lead to over %d values", maxAliased)
			}
			return v, false
		}
	}
	if v.node.Style&yaml.TaggedStyle != 0 {
		d.Fail(v, "tag %s: tags are not read", Plain(v.node.Tag))
		return v, false
	}
	return v, true
}

// Set reads v as a scalar and hands its text, with ${NAME} put in, to use; not
// so a text with a variable that is not set, which is a doubt wherever it
// stands. An error of use is a fault, or of what a variable holds a doubt.
// Errors show the text as it stands in the file: a variable may be a secret.
func (d *Decoder) Set(v Value, use func(s string) error) {
	v, ok := d.resolve(v)
	if !ok {
		return
	}
	if v.node.Kind != yaml.ScalarNode || v.node.ShortTag() == "!!null" {
		d.Fail(v, "%s: want a single value", v.describe())
		return
	}
	s, err := variable.Expand(v.node.Value, d.Env)
	if e, ok := errors.AsType[variable.Unset](err); ok {
		d.file.doubts = append(d.file.doubts, doubt{v.Pointer, true, v.fault(fmt.Sprintf("%s: %v", v.Text(), e))})
		return
	}
	report := d.Fail
	if err == nil {
		if v.HasVariable() {
			report = d.Doubt
		}
		err = use(s)
	}
	if err != nil {
		report(v, "%s: %v", v.Text(), err)
	}
}

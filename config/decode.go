package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/a2alock/a2alock/internal/variable"
	"github.com/a2alock/a2alock/internal/yamldoc"
)

// maxAliased bounds the values that are read through aliases, so that a small
// file stays a small config.
const maxAliased = 10_000

// maxFaults is how many faults are reported; nobody mends more at once.
const maxFaults = 100

// A value is a YAML node and where it stands.
type value struct {
	node *yaml.Node
	// at carries the position: node's, or that of the alias which led to it.
	at      *yaml.Node
	name    string // for people: client.interfaces[0].binding
	pointer string
	aliased bool
	secret  bool // its text is not shown
}

// A fault is one error with its place.
type fault struct {
	line, column int
	text         string
}

// A decoder reads a tree of nodes into a Config and gathers the faults.
type decoder struct {
	c       *Config
	faults  []fault
	more    int // faults beyond maxFaults
	aliased int
	given   map[string]bool // pointers of keys that have a value
	later   []func()        // checks that need the whole file
}

// parse reads data into c.
func parse(c *Config, data []byte) error {
	d := &decoder{c: c, given: map[string]bool{}}
	root, faults := yamldoc.Read(data)
	for _, f := range faults {
		d.faults = append(d.faults, fault{f.Line, f.Column, f.Text})
	}
	if root != nil {
		d.mapping(value{node: root, at: root}, c.keys())
	}
	for _, check := range d.later {
		check()
	}
	err := c.joined(d.faults)
	if d.more > 0 {
		err = errors.Join(err, fmt.Errorf("%s: and %d more faults", c.Path, d.more))
	}
	return err
}

// joined is an error of all faults, each with its place, in the file's order.
func (c *Config) joined(faults []fault) error {
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	errs := make([]error, len(faults))
	for i, f := range faults {
		where := fmt.Sprintf("%s:%d:%d", c.Path, f.line, f.column)
		if f.line == 0 {
			where = c.Path
		}
		errs[i] = fmt.Errorf("%s: %s", where, f.text)
	}
	return errors.Join(errs...)
}

// fail reports a fault of the value at v.
func (d *decoder) fail(v value, format string, args ...any) {
	if len(d.faults) == maxFaults {
		d.more++
		return
	}
	d.faults = append(d.faults, v.fault(fmt.Sprintf(format, args...)))
}

// fault is one of the value at v.
func (v value) fault(text string) fault {
	if v.name != "" {
		text = v.name + ": " + text
	}
	return fault{v.at.Line, v.at.Column, text}
}

// mapping reads v as a mapping of the given keys, of which those in required
// must be there; false, and it has been reported, when v is none.
func (d *decoder) mapping(v value, keys []key, required ...string) bool {
	ok := d.entries(v, func(name string, k, v value) {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			k.name = plain(name)
			d.unknown(k, name, keys)
			return
		}
		if v.node.ShortTag() == "!!null" && v.node.Kind == yaml.ScalarNode && v.node.Style&yaml.TaggedStyle == 0 {
			return // a key whose entries are commented out keeps its default
		}
		d.given[v.pointer], v.secret = true, keys[i].secret
		if keys[i].read != nil {
			keys[i].read(d, v)
		} else if d.mapping(v, keys[i].keys) && keys[i].then != nil {
			keys[i].then(d, v)
		}
	})
	for _, name := range required {
		if ok && !d.has(v, name) {
			d.fail(v, "want the key %s", name)
		}
	}
	return ok
}

// has reports whether the mapping at v gives the key a value.
func (d *decoder) has(v value, name string) bool { return d.given[v.pointer+"/"+name] }

func (d *decoder) unknown(k value, name string, here []key) {
	advice := ""
	if len(d.faults) < maxFaults { // a nearest key takes its time
		advice = d.c.advice(name, here)
	}
	d.fail(k, "unknown key%s", advice)
}

// entries calls each with the key and the value of every entry of the mapping
// at v; false, and it has been reported, when v is none.
func (d *decoder) entries(v value, each func(name string, k, v value)) bool {
	v, ok := d.resolve(v)
	if !ok {
		return false
	}
	if v.node.Kind != yaml.MappingNode {
		d.fail(v, "%s: want a mapping", v.describe())
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k := value{node: v.node.Content[i], at: v.node.Content[i], name: v.name, pointer: v.pointer, aliased: v.aliased}
		if k.node.Kind != yaml.ScalarNode || k.node.Style&yaml.TaggedStyle != 0 {
			d.fail(k, "%s: want a plain key", k.describe())
			continue
		}
		name := k.node.Value
		if first, ok := lines[name]; ok {
			k.name = plain(name)
			d.fail(k, "repeated key (first at line %d)", first)
			continue
		}
		lines[name] = k.at.Line
		pointer := v.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		d.c.lines[pointer] = k.at.Line
		below := v.node.Content[i+1]
		each(name, k, value{
			node: below, at: below, pointer: pointer, aliased: v.aliased, secret: v.secret,
			name: strings.TrimPrefix(v.name+"."+plain(name), "."),
		})
	}
	return true
}

// list reads v as a list whose entries each reads. It is never nil, so that an
// empty list differs from none.
func list[T any](d *decoder, v value, each func(v value, t *T)) []T {
	out := []T{}
	v, ok := d.resolve(v)
	if !ok {
		return out
	}
	if v.node.Kind != yaml.SequenceNode {
		d.fail(v, "%s: want a list", v.describe())
		return out
	}
	for i := range v.node.Content {
		e := d.entry(v, i)
		d.c.lines[e.pointer] = e.at.Line
		var t T
		each(e, &t)
		out = append(out, t)
	}
	return out
}

// entry is the i-th entry of the list at v.
func (d *decoder) entry(v value, i int) value {
	n := v.content().Content[i]
	return value{
		node: n, at: n, aliased: v.aliased, secret: v.secret,
		name:    fmt.Sprintf("%s[%d]", v.name, i),
		pointer: v.pointer + "/" + strconv.Itoa(i),
	}
}

// content is the node of v, or that which its alias leads to.
func (v value) content() *yaml.Node {
	if v.node.Kind == yaml.AliasNode {
		return v.node.Alias
	}
	return v.node
}

func (v value) isList() bool { return v.content().Kind == yaml.SequenceNode }

// resolve follows an alias. It returns false, and has reported it, when aliases
// lead to too much, or the value has a tag: a tag asks for types that a config
// does not have.
func (d *decoder) resolve(v value) (value, bool) {
	if v.node.Kind == yaml.AliasNode {
		v.node, v.aliased = v.node.Alias, true
	}
	if v.aliased {
		if d.aliased++; d.aliased > maxAliased {
			if d.aliased == maxAliased+1 {
				d.fail(v, "aliases lead to over %d values", maxAliased)
			}
			return v, false
		}
	}
	if v.node.Style&yaml.TaggedStyle != 0 {
		d.fail(v, "tag %s: tags are not read", plain(v.node.Tag))
		return v, false
	}
	return v, true
}

// set reads v as a scalar and hands its text, with ${NAME} put in, to use; not
// so a text with a variable that is not set, which is noted for
// [Config.Require]. Errors show the text as it stands in the file: a variable
// may be a secret.
func (d *decoder) set(v value, use func(s string) error) {
	v, ok := d.resolve(v)
	if !ok {
		return
	}
	if v.node.Kind != yaml.ScalarNode || v.node.ShortTag() == "!!null" {
		d.fail(v, "%s: want a single value", v.describe())
		return
	}
	s, err := variable.Expand(v.node.Value, d.env())
	if e, ok := errors.AsType[variable.Unset](err); ok {
		d.c.unset = append(d.c.unset, unset{v.pointer, v.fault(fmt.Sprintf("%s: %v", v.text(), e))})
		return
	}
	if err == nil {
		err = use(s)
	}
	if err != nil {
		d.fail(v, "%s: %v", v.text(), err)
	}
}

func (d *decoder) env() func(string) (string, bool) {
	if d.c.Env != nil {
		return d.c.Env
	}
	return os.LookupEnv
}

// describe names what v is, for errors.
func (v value) describe() string {
	switch n := v.node; {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		return "nothing"
	case n.Kind == yaml.ScalarNode:
		return v.text()
	}
	return "an alias"
}

// text is the text of a scalar for errors, as it stands in the file. A secret
// is shown only where it is one whole ${NAME}.
func (v value) text() string {
	s := v.content().Value
	if v.secret && (!strings.HasPrefix(s, "${") || strings.IndexByte(s, '}') != len(s)-1) {
		return "a hidden text"
	}
	return short(s)
}

// short quotes the beginning of s.
func short(s string) string {
	if r := []rune(s); len(r) > 80 {
		return fmt.Sprintf("%q…", string(r[:80]))
	}
	return strconv.Quote(s)
}

// plain returns a key as it is, or quoted where it is not a plain word.
func plain(s string) string {
	ordinary := func(r rune) bool {
		return r == '_' || r == '-' || r == '!' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !ordinary(r) }) {
		return short(s)
	}
	return s
}

// Package amend tells which members differ between two versions of a lock.
package amend

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/lockfile"
)

// A Change is one member that came, went or has another value.
type Change struct {
	Pointer  string         // RFC 6901
	Was, Now jsontext.Value // compact; nil where there is none
}

// containers are the objects whose members are told one by one, by pointer, with
// * for any name: whether one that is absent counts as empty. Every other value
// is told as a whole.
var containers = map[string]bool{
	"":                   false,
	"/interface":         false,
	"/requires":          false,
	"/requires/skills":   false,
	"/requires/skills/*": false,
	"/verified":          true,
	"/trust":             true,
	"/policy":            true,
	"/policy/rules":      true,
}

// Changes returns the members that differ, in the order of their pointers. The
// order of a set, and how a lock is laid out, make no difference. The error is
// that of a lock that cannot be written.
func Changes(was, now *lockfile.Lock) ([]Change, error) {
	before, err := lockfile.Format(was)
	if err != nil {
		return nil, err
	}
	after, err := lockfile.Format(now)
	if err != nil {
		return nil, err
	}
	w := walk{containers: containers}
	if err := w.member("", before, after); err != nil {
		return nil, err
	}
	return w.changes, nil
}

type walk struct {
	containers map[string]bool
	changes    []Change
}

func (w *walk) member(at jsontext.Pointer, was, now jsontext.Value) error {
	if bytes.Equal(was, now) {
		return nil
	}
	emptied, ok := w.containers[w.pattern(at)]
	if !ok || !emptied && (was.Kind() != '{' || now.Kind() != '{') {
		for _, v := range []*jsontext.Value{&was, &now} {
			if len(*v) > 0 {
				if err := v.Compact(); err != nil {
					return err
				}
			}
		}
		w.changes = append(w.changes, Change{string(at), was, now})
		return nil
	}
	before, err := members(was)
	if err != nil {
		return err
	}
	after, err := members(now)
	if err != nil {
		return err
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := w.member(at.AppendToken(name), before[name], after[name]); err != nil {
			return err
		}
	}
	return nil
}

// pattern is at with a * for what a person named.
func (w *walk) pattern(at jsontext.Pointer) string {
	if name := parent(string(at)) + "/*"; at != "" {
		if _, ok := w.containers[name]; ok {
			return name
		}
	}
	return string(at)
}

func members(v jsontext.Value) (map[string]jsontext.Value, error) {
	var m map[string]jsontext.Value
	if len(v) == 0 {
		return nil, nil
	}
	return m, json.Unmarshal(v, &m)
}

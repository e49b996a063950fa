package credential

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/a2alock/a2alock/compile"
)

// A FieldError is what is wrong with one member of a [Credential], by the name
// that a2alock.yaml has for it. Err quotes nothing of a secret.
type FieldError struct {
	Field string
	Text  string // what it holds, where that may be shown
	Err   error
}

// Error names the member.
func (e *FieldError) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("%s: %q: %v", e.Field, e.Text, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Field, e.Err)
}

// Unwrap is Err.
func (e *FieldError) Unwrap() error { return e.Err }

// Faults are what is wrong with k, whatever its origins are.
func Faults(k Kind) []*FieldError {
	var list []*FieldError
	for _, err := range k.faults() {
		if f, ok := errors.AsType[*FieldError](err); ok {
			list = append(list, f)
		}
	}
	return list
}

// Check reads what c reads when it is used, and says what is wrong with it; warn
// is told of files that others may read.
func (c *Credential) Check(warn func(text string)) []*FieldError {
	var list []*FieldError
	values := c.Kind.values()
	for _, field := range slices.Sorted(maps.Keys(values)) {
		v := values[field]
		_, err := v.read(c.Kind, warn)
		if v.file != "" {
			field += "_file"
		}
		if err != nil {
			list = append(list, &FieldError{field, "", err})
		}
	}
	if m, ok := c.Kind.(MutualTLS); ok {
		_, err := new(pair).reader(m, warn)()
		if f, ok := errors.AsType[*FieldError](err); ok {
			list = append(list, f)
		}
	}
	return list
}

// Held is what c is for a [compile.Client]. One that cannot be read is bound to
// no origin by it.
func (c *Credential) Held() compile.Credential {
	origins, _ := c.origins()
	return compile.Credential{Name: c.Name, Kind: c.Kind.strength(), Scopes: c.scopes(), Origins: origins}
}

func (c *Credential) scopes() []string {
	if k, ok := c.Kind.(ClientCredentials); ok && c.Scopes == nil {
		return slices.Clone(k.Scopes)
	}
	return slices.Clone(c.Scopes)
}

// Equal reports whether c and o show the same to the same origins, as far as
// the configuration tells: a file may hold another value by now.
func (c *Credential) Equal(o *Credential) bool {
	if c.Name != o.Name || !slices.Equal(c.Origins, o.Origins) || !slices.Equal(c.Scopes, o.Scopes) || fmt.Sprint(c.Err) != fmt.Sprint(o.Err) {
		return false
	}
	if !maps.EqualFunc(c.Kind.values(), o.Kind.values(), Value.Equal) {
		return false
	}
	return reflect.DeepEqual(bare(c.Kind), bare(o.Kind))
}

// bare is k without its values, which cannot be compared.
func bare(k Kind) Kind {
	switch k := k.(type) {
	case Bearer:
		return Bearer{}
	case APIKey:
		k.Key = Value{}
		return k
	case Basic:
		k.Password = Value{}
		return k
	case ClientCredentials:
		k.Secret = Value{}
		return k
	}
	return k
}

package diff

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// byRule stands for the class of the rule itself, in findings whose check has
// no reason to say otherwise.
const byRule Class = -1

// found makes a finding of the class of its rule.
func found(path string, was, now any, format string, args ...any) Finding {
	return Finding{Class: byRule, Path: path, Was: was, Now: now, Message: fmt.Sprintf(format, args...)}
}

// of says which skill f affects.
func (f Finding) of(skill string) Finding {
	f.Skills = []string{skill}
	return f
}

// raw is a JSON value for a finding; nil where there is none.
func raw(v jsontext.Value) any {
	if len(v) == 0 {
		return nil
	}
	return v
}

package variable

import (
	"errors"
	"strings"
	"testing"
)

func env(name string) (string, bool) {
	v, ok := map[string]string{"A": "x", "B": "${A}", "EMPTY": "", "_1": "under"}[name]
	return v, ok
}

func TestExpand(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", "${A}": "x", "a${A}b${A}": "axbx", "${B}": "${A}", "${EMPTY}": "", "${_1}": "under",
		"$A $ $$ }": "$A $ $$ }", "$${A}": "${A}", "$$${A}": "$${A}", "$${A}${A}": "${A}x",
	} {
		if got, err := Expand(s, env); got != want || err != nil {
			t.Errorf("Expand(%q) = %q, %v; want %q", s, got, err, want)
		}
	}
	for _, s := range []string{"${", "${}", "${A", "${1}", "${A B}", "${A-x}", "${ä}"} {
		if got, err := Expand(s, env); err == nil {
			t.Errorf("Expand(%q) = %q, want an error", s, got)
		}
	}
	_, err := Expand("secret ${NONE} ${A}", env)
	if name, ok := errors.AsType[Unset](err); !ok || name != "NONE" || strings.Contains(err.Error(), "secret") {
		t.Errorf("error = %v, want Unset(NONE) without the text", err)
	}
}

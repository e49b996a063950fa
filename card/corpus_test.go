package card

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpus is the folder of real cards, which is not part of the project.
const corpus = "../../shared/corpus"

// indexed returns the shape that the index declares for each file in cards.
func indexed(t *testing.T) map[string]string {
	data, err := os.ReadFile(filepath.Join(corpus, "index.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no corpus beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{}
	for _, row := range rows[1:] {
		if strings.HasPrefix(row[0], "cards/") {
			declared[row[0]] = row[1]
		}
	}
	if len(declared) == 0 {
		t.Fatal("the index names no card")
	}
	return declared
}

// Of the cards that the index takes for some, three quarters must be usable,
// and the table of reasons for the others is printed for reading.
func TestParseCorpus(t *testing.T) {
	declared := indexed(t)
	table := map[string]int{}
	codes := map[string]int{}
	meant, good := 0, 0
	for _, file := range slices.Sorted(maps.Keys(declared)) {
		data, err := os.ReadFile(filepath.Join(corpus, file))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(data, Options{})
		state := "card"
		if err == nil {
			checkLaws(t, file, c)
			for _, f := range c.Findings {
				codes[string(f.Severity)+" "+f.Code]++
			}
			err = c.Err()
		}
		if err != nil {
			de, ok := errors.AsType[*DocumentError](err)
			if !ok {
				t.Fatalf("%s: Parse gave a %T, want a *DocumentError", file, err)
			}
			state = string(de.State)
		}
		table[fmt.Sprintf("%-8s %s", declared[file], state)]++
		if declared[file] == "other" {
			if testing.Verbose() {
				t.Logf("%s (other): %v", file, err)
			}
			continue
		}
		meant++
		if err == nil {
			good++
			if got := string(c.Shape); got != declared[file] {
				t.Logf("%s: shape %s, the index says %s", file, got, declared[file])
			}
			continue
		}
		t.Logf("%s (%s): %v", file, declared[file], err)
	}
	for _, row := range slices.Sorted(maps.Keys(table)) {
		t.Logf("%4d %s", table[row], row)
	}
	for _, row := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%4d %s", codes[row], row)
	}
	t.Logf("usable: %d of %d (%d %%)", good, meant, 100*good/meant)
	if 4*good < 3*meant {
		t.Errorf("usable: %d of %d, want 75 %%", good, meant)
	}
}

// checkLaws holds for every card.
func checkLaws(t *testing.T, name string, c *Card) {
	t.Helper()
	for _, f := range c.Findings {
		if (f.Severity == Error) != (f.Scope != "") {
			t.Errorf("%s: %+v: a scope belongs to errors alone", name, f)
		}
		if f.Code == "" || f.Message == "" || strings.ContainsAny(f.Message, "\n\r\x1b") {
			t.Errorf("%s: %+v: want a code and a message of one line", name, f)
		}
		if len(f.Message) > 600 {
			t.Errorf("%s: a message of %d bytes", name, len(f.Message))
		}
	}
	for _, s := range c.Skills {
		if s.ID == "" && s.Disabled == "" {
			t.Errorf("%s: %s has no id and is not disabled", name, s.Pointer)
		}
	}
	for _, a := range c.Security.Alternatives {
		if a.Schemes == nil {
			t.Errorf("%s: an alternative with nil schemes", name)
		}
	}
	for scheme, s := range c.SecuritySchemes {
		if (s.Kind == KindUnknown) != (s.Unreadable != "") || s.Kind == "" {
			t.Errorf("%s: scheme %q: kind %q and reason %q", name, scheme, s.Kind, s.Unreadable)
		}
	}
	for _, concept := range []string{"interfaces", "schemes", "security", "skill_security", "extended_card"} {
		if c.Sources[concept] == "" {
			t.Errorf("%s: no source of %s", name, concept)
		}
	}
}

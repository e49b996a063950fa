package envelope

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error // nil: an object; anyError: some other one
	}{
		{`{}`, nil},
		{" {\"a\" : [1, {\"b\":1,\"b\":2}],\n\"c\":\"\\ud800\"}\n", nil},
		{`[]`, ErrNoObject},
		{`"x"`, ErrNoObject},
		{`null`, ErrNoObject},
		{`{"a":1,"\u0061":2}`, ErrRepeated},
		{`{} {}`, ErrTrailing},
		{`{}x`, ErrTrailing},
		{``, errAny},
		{`{"a":`, errAny},
		{`{"a":1,}`, errAny},
		{`<html>`, errAny},
		{strings.Repeat("[", 20_000), errAny},
	} {
		_, err := Parse([]byte(tt.text))
		if (err == nil) != (tt.want == nil) || tt.want != errAny && !errors.Is(err, tt.want) {
			t.Errorf("Parse(%.40s) = %v, want %v", tt.text, err, tt.want)
		}
	}
}

var errAny = errors.New("any")

func TestValuesAreAsWritten(t *testing.T) {
	raw := ` {"a" : {"x": 1,  "x":2} , "n": null, "s":"\u0041\ud800", "i": -32007, "f": 1.5, "l":[1, "b",{}]} `
	o, err := Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(o["a"]); got != `{"x": 1,  "x":2}` {
		t.Errorf("a = %s", got)
	}
	if o.Has("n") || o.Has("none") || !o.Has("i") {
		t.Error("Has is about members that are not null")
	}
	if got := o.Text("s"); got != "A\uFFFD" {
		t.Errorf("s = %q", got)
	}
	if o.Text("i") != "" || o.Text("none") != "" {
		t.Error("Text is about strings")
	}
	if o.Number("i") != -32007 || o.Number("f") != 0 || o.Number("s") != 0 {
		t.Error("Number is about whole numbers")
	}
	if got := fmt.Sprintf("%s", List(o["l"], 2)); got != `[1 "b"]` {
		t.Errorf("List = %s", got)
	}
	if List(o["a"], 2) != nil {
		t.Error("an object has elements")
	}
	again, err := Parse(o.Encode())
	if err != nil || !maps.EqualFunc(o, again, func(a, b jsontext.Value) bool { return slices.Equal(a, b) }) {
		t.Errorf("Encode = %s, %v", o.Encode(), err)
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"a":2}`: true, `"\ud800"`: true, ` [] `: true, `1`: true,
		``: false, `{} x`: false, `{`: false, `<html>`: false, `{'a':1}`: false,
	} {
		if err := Check([]byte(text)); (err == nil) != want {
			t.Errorf("Check(%s) = %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\ud800"}],"c":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := Parse(raw)
		if err != nil {
			return
		}
		if err := Check(raw); err != nil {
			t.Errorf("Parse(%q) is an object, and Check says %v", raw, err)
		}
		for name, value := range o {
			if err := Check(value); err != nil {
				t.Errorf("%q of %q is %q: %v", name, raw, value, err)
			}
		}
	})
}

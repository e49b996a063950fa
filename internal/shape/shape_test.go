package shape

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

type menu struct {
	Name   string          `json:"name"`
	Open   bool            `json:"open,omitzero"`
	Tags   []string        `json:"tags,omitzero"`
	Rooms  []string        `json:"rooms,omitzero"`
	Dishes map[string]dish `json:"dishes,omitzero"`
	Orders []order         `json:"orders,omitzero"`
	Cook   *cook           `json:"cook"`
	Extra  jsontext.Value  `json:",embed"`
}

type dish struct {
	Price int            `json:"price"`
	Any   jsontext.Value `json:"any,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

type order struct {
	Dish  string         `json:"dish"`
	Table string         `json:"table,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

type cook struct {
	Name string `json:"name"`
}

var menuShape = Of(reflect.TypeFor[menu](), map[string]Place{
	"":        {Required: []string{"name"}},
	"/name":   {Check: func(s string) string { return map[bool]string{true: "empty"}[s == ""] }},
	"/rooms":  {List: true},
	"/dishes": {Filled: "dish"},
	"/orders": {By: []string{"table"}},
	"/cook":   {Object: reflect.TypeFor[cook]()},
})

func parse(t *testing.T, text string) *Node {
	t.Helper()
	n, err := Parse([]byte(text), 8)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return n
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"m","cook":null,"x":[{}]}`:              "",
		`{"name":"m","cook":"someone"}`:                  "",
		`{"name":"m","cook":{"name":"c"}}`:               "",
		`{"name":""}`:                                    "/name: empty",
		`{"open":"true","tags":[1],"name":1}`:            "/open: want boolean, got string; /tags/0: want string, got number; /name: want string, got number",
		`{"dishes":{},"name":"m","name":"n"}`:            "/dishes: empty: want at least one dish; /name: repeated member",
		`{"dishes":{"a/b":{"price":true}}}`:              "/dishes/a~1b/price: want number, got boolean; /name: missing",
		`{"name":"m","cook":1}`:                          "/cook: want string or object, got number",
		`{"name":"m","cook":{"name":"c","hat":"white"}}`: "/cook/hat: unknown member, and no place to keep it",
		`[]`: ": want object, got array",
	} {
		var got []string
		for _, f := range menuShape.Faults(parse(t, text)) {
			got = append(got, f.Pointer+": "+f.Msg)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("Faults(%s) = %s, want %s", text, s, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	if _, err := Parse([]byte(`{} {}`), 8); !errors.Is(err, ErrMore) {
		t.Errorf("two values: %v, want ErrMore", err)
	}
	if _, err := Parse([]byte(strings.Repeat("[", 9)), 8); err == nil || err.Error() != "nested deeper than 8 levels" {
		t.Errorf("nine levels: %v", err)
	}
}

func TestFormat(t *testing.T) {
	n := parse(t, `{"zeta":1,"alpha":{"b":[3,1],"a":1.50},"orders":[{"table":"2","dish":"a"},{"dish":"z","table":"1"}],`+
		`"rooms":["b","a","b"],"tags":["b","a","b","a\u200b"],"name":"<m>","cook":null,"dishes":{"b":{"any":{"y":1,"x":2},"price":1},"a":{"price":2}}}`)
	want := `{
  "name": "<m>",
  "tags": [
    "a",
    "a\u200b",
    "b"
  ],
  "rooms": [
    "b",
    "a",
    "b"
  ],
  "dishes": {
    "a": {
      "price": 2
    },
    "b": {
      "price": 1,
      "any": {
        "x": 2,
        "y": 1
      }
    }
  },
  "orders": [
    {
      "dish": "z",
      "table": "1"
    },
    {
      "dish": "a",
      "table": "2"
    }
  ],
  "cook": null,
  "alpha": {
    "a": 1.50,
    "b": [
      3,
      1
    ]
  },
  "zeta": 1
}
`
	got := string(menuShape.Format(n))
	if got != want {
		t.Errorf("Format =\n%s\nwant\n%s", got, want)
	}
	if again := string(menuShape.Format(parse(t, got))); again != got {
		t.Errorf("Format of what was formatted =\n%s\nwant\n%s", again, got)
	}
	if compact := menuShape.Compact(n); string(menuShape.Compact(parse(t, got))) != string(compact) || strings.Contains(string(compact), "\n") {
		t.Errorf("Compact = %s, want one line that says the same", compact)
	}
}

func TestGraft(t *testing.T) {
	for _, tt := range []struct {
		name, was, now, want string
		came                 bool
	}{
		{"unknown", `{"x":1,"name":"a"}`, `{"name":"b"}`, `{"name":"b","x":1}`, true},
		{"known and gone", `{"open":true}`, `{"name":"b"}`, `{"name":"b"}`, false},
		{"deep", `{"dishes":{"a":{"price":1,"x":1},"b":{"price":1,"x":1}}}`, `{"dishes":{"a":{"price":2}}}`, `{"dishes":{"a":{"price":2,"x":1}}}`, true},
		{"there already", `{"x":1}`, `{"x":2}`, `{"x":2}`, false},
		{
			"an item that says the same", `{"orders":[{"dish":"a","x":1},{"dish":"b","x":2}]}`, `{"orders":[{"dish":"b"},{"dish":"c"}]}`,
			`{"orders":[{"dish":"b","x":2},{"dish":"c"}]}`, true,
		},
		{"no room", `{"cook":{"name":"c","hat":"white"}}`, `{"cook":{"name":"c"}}`, `{"cook":{"name":"c"}}`, false},
	} {
		now := parse(t, tt.now)
		came := menuShape.Graft(now, parse(t, tt.was))
		if got := string(menuShape.Compact(now)); got != tt.want || came != tt.came {
			t.Errorf("%s: Graft gives %s, %v, want %s, %v", tt.name, got, came, tt.want, tt.came)
		}
	}
}

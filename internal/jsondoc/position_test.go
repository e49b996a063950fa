package jsondoc

import (
	"strings"
	"testing"
)

func TestPosition(t *testing.T) {
	const text = "{\n  \"agent\": \"https://é.example\", \"é\": 1,\n  \"a/b\": {\n\t\"list\": [1,\n   {\"x\": true}, \"z\"]},\n  \"agent\": 2\n}\n"
	for _, tt := range []struct {
		name, text, pointer string
		line, column        int // 0 where none can be found
	}{
		{"the whole", text, "", 1, 1},
		{"a member", text, "/agent", 2, 3},
		{"characters, not bytes", text, "/é", 2, 33},
		{"an escaped name", text, "/a~1b", 3, 3},
		{"within", text, "/a~1b/list", 4, 2},
		{"an item", text, "/a~1b/list/0", 4, 11},
		{"an item that is an object", text, "/a~1b/list/1", 5, 4},
		{"in an item", text, "/a~1b/list/1/x", 5, 5},
		{"the last item", text, "/a~1b/list/2", 5, 17},
		{"one that is not there", text, "/requires/skills", 1, 1},
		{"one below that is not there", text, "/a~1b/other/x", 3, 3},
		{"an item that is not there", text, "/a~1b/list/7", 4, 2},
		{"no index", text, "/a~1b/list/01", 4, 2},
		{"below a text", text, "/agent/x", 2, 3},
		{"no pointer", text, "agent", 0, 0},
		{"empty", "", "/a", 0, 0},
		{"no JSON", "<html>", "", 0, 0},
		{"a BOM", "\ufeff{\"a\":1}", "/a", 1, 2},
		{"CRLF", "{\r\n\"a\":1,\r\n\"b\":2}", "/b", 3, 1},
		{"cut off behind it", `{"a":1,"b":{"c":`, "/b/c", 1, 13},
		{"cut off before it", `{"a":1,"b":{`, "/b/c", 1, 8},
		{"a conflict inside", "{\"a\":1,\n<<<<<<<\n\"b\":2}", "/b", 1, 1},
		{"a name with a lone surrogate", `{"\ud800":1,"b":2}`, "/b", 1, 13},
		{"a list", `[ 1, 2 ]`, "/1", 1, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, column, ok := Position([]byte(tt.text), tt.pointer)
			if line != tt.line || column != tt.column || ok != (tt.line > 0) {
				t.Errorf("Position = %d:%d %v, want %d:%d", line, column, ok, tt.line, tt.column)
			}
		})
	}
}

func FuzzPosition(f *testing.F) {
	f.Add(`{"a":[1,{"b":2}]}`, "/a/1/b")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		line, column, ok := Position([]byte(text), pointer)
		if !ok {
			return
		}
		lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
			t.Errorf("Position(%q, %q) = %d:%d, beyond the text", text, pointer, line, column)
		}
	})
}

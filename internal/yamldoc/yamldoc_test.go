package yamldoc

import "testing"

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		data string
		root bool
		want Fault // zero: none
	}{
		{data: ""},
		{data: "# nothing\n"},
		{data: "\ufeffa: 1\r\n", root: true},
		{data: "a: 1\n---\nb: 2\n", root: true, want: Fault{2, 1, "a second document: want one"}},
		{data: "a:\n b: \xff", want: Fault{2, 5, "not UTF-8"}},
		{data: "a: \x1b[2J", want: Fault{1, 4, "control character U+001B: write it as an escape in double quotes"}},
		{data: "a: *none", want: Fault{1, 4, "not YAML: unknown anchor 'none' referenced"}},
	} {
		root, faults := Read([]byte(tt.data))
		if (root != nil) != tt.root || len(faults) > 1 || len(faults) == 1 != (tt.want != Fault{}) || len(faults) == 1 && faults[0] != tt.want {
			t.Errorf("Read(%q) = %v, %v; want a node %v, and %v", tt.data, root, faults, tt.root, tt.want)
		}
	}
}

package gitrepo

import (
	"strings"
	"testing"
)

// The working tree has the line ends that git would add.
func TestLineEnds(t *testing.T) {
	for _, test := range []struct {
		name, attributes, autocrlf string
		text, index                string // index: what is tracked; "" for nothing
	}{
		{name: "nothing said", text: "a\r\nb\r\n"},
		{name: "text", attributes: "* text", text: "a\r\nb\r\n"},
		{name: "text and binary bytes", attributes: "* text", text: "a\r\n\x00\rb\r\n"},
		{name: "text, tracked with CRLF", attributes: "* text", text: "a\r\nb\r\n", index: "a\r\n"},
		{name: "auto", attributes: "* text=auto", text: "a\r\nb\r\n"},
		{name: "auto, lone CR", attributes: "* text=auto", text: "a\r\nb\rc\r\n"},
		{name: "auto, NUL", attributes: "* text=auto", text: "a\r\n\x00\r\n"},
		{name: "auto, controls", attributes: "* text=auto", text: "a\r\n\x01\x7f\r\n"},
		{name: "auto, few controls", attributes: "* text=auto", text: strings.Repeat("a", 200) + "\x01\r\n"},
		{name: "auto, tracked with LF", attributes: "* text=auto", text: "a\r\nb\r\n", index: "a\n"},
		{name: "auto, tracked with CRLF", attributes: "* text=auto", text: "a\r\nb\r\n", index: "a\r\n"},
		{name: "not text", attributes: "* -text", autocrlf: "true", text: "a\r\nb\r\n"},
		{name: "binary", attributes: "* binary", autocrlf: "true", text: "a\r\nb\r\n"},
		{name: "not text, eol", attributes: "* -text eol=crlf", text: "a\r\n"},
		{name: "eol crlf", attributes: "* eol=crlf", text: "a\r\n"},
		{name: "eol lf", attributes: "* eol=lf", text: "a\r\n"},
		{name: "old name", attributes: "* crlf", text: "a\r\n"},
		{name: "old name off", attributes: "* -crlf", autocrlf: "true", text: "a\r\n"},
		{name: "old name input", attributes: "* crlf=input", text: "a\r\n"},
		{name: "autocrlf", autocrlf: "true", text: "a\r\nb\r\n"},
		{name: "autocrlf input", autocrlf: "input", text: "a\r\nb\r\n"},
		{name: "autocrlf, tracked with CRLF", autocrlf: "input", text: "a\r\nb\r\n", index: "a\r\n"},
		{name: "autocrlf off", autocrlf: "false", text: "a\r\nb\r\n"},
		{name: "another file", attributes: "other text", text: "a\r\nb\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newTree(t)
			if test.index != "" {
				r.git("-c", "core.autocrlf=false", "update-index", "--add", "--cacheinfo", "100644,"+r.blob(test.index)+",f")
			}
			if test.attributes != "" {
				r.write(".git/info/attributes", test.attributes+"\n")
			}
			if test.autocrlf != "" {
				r.git("config", "core.autocrlf", test.autocrlf)
			}
			r.write("f", test.text)
			got, err := r.open().Working(t.Context(), all, limit)
			if err != nil || len(got) != 1 {
				t.Fatalf("Working = %q, %v", texts(got), err)
			}
			r.git("add", "-f", "f")
			if added := r.blobText(":f"); string(got[0].Text) != added {
				t.Errorf("Working has %q, and git adds %q", got[0].Text, added)
			}
		})
	}
}

package gitrepo

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
)

// normalize gives texts of the working tree the line ends with which git would
// add them: where .gitattributes or core.autocrlf has CRLF on disk and LF in
// commits, the same text has two forms. It is worked out here, since git would
// run the filters that a configuration names. Index holds the ids of what git
// tracks, by path.
func (r *Repo) normalize(ctx context.Context, files []File, index map[string]string) error {
	var odd []*File
	var paths bytes.Buffer
	for i := range files {
		if f := &files[i]; bytes.Contains(f.Text, []byte("\r\n")) {
			odd = append(odd, f)
			paths.WriteString(f.Real + "\x00") // a link has the line ends of what it leads to
		}
	}
	if len(odd) == 0 {
		return nil
	}
	attributes, err := r.attributes(ctx, paths.Bytes())
	if err != nil {
		return err
	}
	configured, err := r.git(ctx, "config", "--get", "--default", "", "core.autocrlf")
	if err != nil {
		return err
	}
	auto := slices.Contains([]string{"true", "yes", "on", "1", "input"}, strings.ToLower(strings.TrimSpace(string(configured))))
	var asText []*File
	for _, f := range odd {
		switch converts, ifText := conversion(attributes[f.Real], auto); {
		case converts && ifText:
			asText = append(asText, f)
		case converts:
			f.convert()
		}
	}
	return r.convertText(ctx, asText, index)
}

// convertText converts those of the files that look like text, and that the index
// has not with CRLF: what once was added with CRLF keeps it.
func (r *Repo) convertText(ctx context.Context, files []*File, index map[string]string) error {
	indexed := make([]File, len(files))
	for i, f := range files {
		indexed[i].id = index[f.Real]
	}
	if err := r.read(ctx, indexed, maxTotal); err != nil {
		return err
	}
	for i, f := range files {
		if err := indexed[i].Err; err != nil {
			f.Text, f.Err = nil, err // neither form is known to be the right one
			continue
		}
		if isText(f.Text) && !bytes.Contains(indexed[i].Text, []byte("\r\n")) {
			f.convert()
		}
	}
	return nil
}

func (f *File) convert() { f.Text = bytes.ReplaceAll(f.Text, []byte("\r\n"), []byte("\n")) }

// attributes are those of line ends, by path and name.
func (r *Repo) attributes(ctx context.Context, paths []byte) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	var fields []string
	_, err := r.run(ctx, paths, func(stdout io.Reader) error {
		return eachLine(stdout, func(field string) error {
			if fields = append(fields, field); len(fields) == 3 { // path, attribute, value
				if found[fields[0]] == nil {
					found[fields[0]] = map[string]string{}
				}
				found[fields[0]][fields[1]] = fields[2]
				fields = fields[:0]
			}
			return nil
		})
	}, "check-attr", "-z", "--stdin", "text", "crlf", "eol")
	return found, err
}

// conversion says of a file with these attributes whether git makes CRLF to LF
// when it adds it, and whether it does so only if the file looks like text and
// the index does not have it with CRLF. Auto is whether core.autocrlf is on. See
// gitattributes(5).
func conversion(attributes map[string]string, auto bool) (converts, ifText bool) {
	text := attributes["text"]
	if !slices.Contains([]string{"set", "unset", "input", "auto"}, text) {
		text = attributes["crlf"] // its older name
	}
	switch text {
	case "unset":
		return false, false
	case "set", "input":
		return true, false
	case "auto":
		return true, true
	}
	if eol := attributes["eol"]; eol == "lf" || eol == "crlf" {
		return true, false
	}
	return auto, true
}

// isText is whether git takes data for text.
func isText(data []byte) bool {
	printable, odd := 0, 0
	for i, c := range data {
		switch {
		case c == 0, c == '\r' && !bytes.HasPrefix(data[i+1:], []byte("\n")):
			return false
		case c == '\r', c == '\n':
		case c == 0x7f, c < ' ' && !bytes.ContainsRune([]byte("\b\t\x1b\f"), rune(c)):
			odd++
		default:
			printable++
		}
	}
	return printable>>7 >= odd
}

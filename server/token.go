package server

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Scope is what a token allows.
type Scope int

// The scopes. [Write] includes [Read].
const (
	Read Scope = iota + 1
	Write
)

// Tokens are the bearer tokens (RFC 6750) that are accepted, by the SHA-256 of
// each, so that the file which names them holds no secret. Nil accepts every
// request, with both scopes.
type Tokens []token

type token struct {
	name  string
	line  int
	scope Scope
	sum   [sha256.Size]byte
}

// maxTokens bounds a tokens file, in bytes.
const maxTokens = 1 << 20

// ReadTokens reads a tokens file: a line "NAME SCOPE SHA256-OF-TOKEN" each,
// scope read or write, the sum in hex; empty lines and those that begin with #
// say nothing. Each name and each sum stands there once. The error joins every
// fault, each with its line. A file without
// any token accepts nobody.
func ReadTokens(path string) (Tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTokens+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the tokens: %w", err)
	case len(data) > maxTokens:
		return nil, fmt.Errorf("%s: over %d bytes, which no tokens file needs", path, maxTokens)
	}
	all := Tokens{}
	var errs []error
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxTokens+1)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		t, err := parseToken(words)
		if err == nil {
			err = all.add(t, n)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", path, n, err))
			continue
		}
	}
	return all, errors.Join(append(errs, lines.Err())...)
}

// add adds the token of a line, unless its name or its sum was there before: one
// of the two lines is a mistake, and which of the scopes was meant nobody knows.
func (all *Tokens) add(t token, line int) error {
	for _, o := range *all {
		if o.name == t.name {
			return fmt.Errorf("the name %q stands in line %d already", t.name, o.line)
		}
		if o.sum == t.sum {
			return fmt.Errorf("the sum of %q stands in line %d already, for %q", t.name, o.line, o.name)
		}
	}
	t.line = line
	*all = append(*all, t)
	return nil
}

// parseToken never quotes the sum, in whose place somebody may have put the
// token itself.
func parseToken(words []string) (token, error) {
	t := token{name: words[0]}
	if len(words) != 3 {
		return t, errors.New("want NAME SCOPE SHA256-OF-TOKEN")
	}
	switch words[1] {
	case "read":
		t.scope = Read
	case "write":
		t.scope = Write
	default:
		return t, fmt.Errorf("scope %q: want read or write", words[1])
	}
	sum, err := hex.DecodeString(words[2])
	if err != nil || len(sum) != len(t.sum) {
		return t, errors.New("want the SHA-256 of the token in 64 hex digits: printf %s TOKEN | sha256sum")
	}
	copy(t.sum[:], sum)
	return t, nil
}

// scope is what the bearer of secret may do, and the name of the token; 0 where
// nobody knows it. It takes as long for one as for the other.
func (all Tokens) scope(secret string) (Scope, string) {
	sum := sha256.Sum256([]byte(secret))
	scope, name := Scope(0), ""
	for _, t := range all {
		if subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1 {
			scope, name = t.scope, t.name
		}
	}
	return scope, name
}

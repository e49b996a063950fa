package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/credential"
)

const cardURL = "https://a.example.com/card.json"

// A keeper is what a daemon does with the answers for one agent: it keeps body
// and memory as one, the memory as JSON.
type keeper struct {
	t      *testing.T
	client *Client
	url    string
	memory []byte
	body   []byte
	lost   bool // the body
}

func (k *keeper) refresh(change func(*Request)) (*Answer, error) {
	k.t.Helper()
	r := Request{URL: k.url, Body: func() ([]byte, bool) { return k.body, k.body != nil && !k.lost }}
	if k.memory != nil {
		if err := json.Unmarshal(k.memory, &r.Memory); err != nil {
			k.t.Fatal(err)
		}
	}
	if change != nil {
		change(&r)
	}
	a, err := k.client.Refresh(k.t.Context(), r)
	if err != nil {
		if _, ok := errors.AsType[*Error](err); !ok || a != nil {
			k.t.Fatalf("Refresh = %v, %v; want an *Error alone", a, err)
		}
		return nil, err
	}
	if k.memory, err = json.Marshal(a.Memory); err != nil {
		k.t.Fatal(err)
	}
	k.body, k.lost = a.Body, false
	if a.NoStore {
		k.body = nil
	}
	return a, nil
}

// outcome is a refresh in one line.
func outcome(a *Answer, err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		words := []string{string(e.State)}
		if e.Code != 0 {
			words = append(words, fmt.Sprint(e.Code))
		}
		if e.Protocol {
			words = append(words, "protocol")
		}
		if e.RetryAfter != 0 {
			words = append(words, "retry after "+e.RetryAfter.String())
		}
		return strings.Join(words, ", ")
	}
	words := []string{string(a.Body)}
	for _, w := range []struct {
		is   bool
		word string
	}{
		{a.NotModified, "not modified"},
		{a.Same, "same"},
		{a.Unreliable, "unreliable"},
		{a.Ineffective, "ineffective"},
		{a.NoStore, "no store"},
		{a.MaxAge != 0, a.MaxAge.String()},
	} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// conditions are what a request asks by, in one line.
func conditions(r *http.Request) string {
	var words []string
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "Cache-Control"} {
		if v := r.Header.Values(name); v != nil {
			words = append(words, strings.Join(v, " | "))
		}
	}
	return strings.Join(words, "; ")
}

// A step is one refresh: what the server says to each of its requests, what
// they asked by, and what came of it.
type step struct {
	says   []answer
	sent   []string
	want   string
	change func(*Request)
	before func(*keeper)
}

// play runs the steps one after the other for one agent.
func play(t *testing.T, steps []step) {
	t.Helper()
	var says []answer
	var sent []string
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, conditions(r))
		if len(says) == 0 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		says[0].write(w)
		says = says[1:]
	})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://elsewhere.example.com")
	k := &keeper{t: t, client: c, url: cardURL}
	for i, s := range steps {
		says, sent = s.says, nil
		if s.before != nil {
			s.before(k)
		}
		if got := outcome(k.refresh(s.change)); got != s.want {
			t.Errorf("step %d: %s, want %s", i, got, s.want)
		}
		if !slices.Equal(sent, s.sent) {
			t.Errorf("step %d asked %q, want %q", i, sent, s.sent)
		}
	}
}

// with is an answer of this body, with headers by turns of name and value.
func with(body string, header ...string) answer {
	a := answer{body: body, header: map[string]string{}}
	for i := 0; i < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	return a
}

func notModified(header ...string) answer {
	a := with("", header...)
	a.status = http.StatusNotModified
	return a
}

func status(code int, header ...string) answer {
	a := with("", header...)
	a.status = code
	return a
}

func loseBody(k *keeper)       { k.lost = true }
func unconditional(r *Request) { r.Unconditional = true }

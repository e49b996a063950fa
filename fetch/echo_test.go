package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/credential"
)

// What a server sends back of a credential reaches nobody: no answer, memory,
// note or error has it.
func TestEchoesOfTheCredential(t *testing.T) {
	for _, long := range []string{"geheim-canary-0123456789", "gehe1m-x7"} {
		echoes(t, long)
	}
}

// echoes has a server send back long, a credential, in all the places that there are.
func echoes(t *testing.T, long string) {
	for _, tt := range []struct {
		name string
		kind credential.Kind
		echo func(w http.ResponseWriter, r *http.Request)
		fail string // in the error; "" for none
	}{
		{"a card", credential.Bearer{Token: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"name":%q}`, r.Header.Get("Authorization"))
		}, "the answer repeats the credential"},
		{"validators", credential.Bearer{Token: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"`+r.Header.Get("Authorization")+`"`)
			w.Header().Set("Via", r.Header.Get("Authorization"))
			fmt.Fprint(w, aCard)
		}, ""},
		{"a type", credential.Bearer{Token: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/"+long)
			fmt.Fprint(w, aCard)
		}, ""},
		{"a redirect with the query", credential.APIKey{In: credential.InQuery, Name: "k", Key: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/card.json" {
				http.Redirect(w, r, "/v2/card.json?"+r.URL.RawQuery, http.StatusFound)
				return
			}
			fmt.Fprint(w, aCard)
		}, ""},
		{"a redirect to another host", credential.APIKey{In: credential.InQuery, Name: "k", Key: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "a.example.com" {
				http.Redirect(w, r, "https://b.example.com/card.json?"+r.URL.RawQuery, http.StatusFound)
				return
			}
			fmt.Fprint(w, aCard)
		}, ""},
		{"a redirect that is refused", credential.Bearer{Token: credential.Literal(long)}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://b.example.com/"+url.PathEscape(r.Header.Get("Authorization")), http.StatusFound)
		}, "refused"},
	} {
		t.Run(long+": "+tt.name, func(t *testing.T) {
			_, c := serve(t, tt.echo)
			c.Wallet = wallet(t, tt.kind, "https://a.example.com")
			ask := Ask{URL: "https://a.example.com/card.json", Identity: "partner"}
			r, err := c.Get(t.Context(), ask)
			answer, again := c.Refresh(t.Context(), Request{URL: ask.URL, Identity: ask.Identity})
			for _, err := range []error{err, again} {
				if (err == nil) != (tt.fail == "") || err != nil && !strings.Contains(err.Error(), tt.fail) {
					t.Errorf("error = %v, want %q", err, tt.fail)
				}
			}
			if text := fmt.Sprintf("%+v %+v %v %v", r, answer, err, again); strings.Contains(text, long) {
				t.Errorf("the secret is in %s", text)
			}
		})
	}
}

// A card may have the word that is somebody's password.
func TestWordOfTheCardIsNoEcho(t *testing.T) {
	_, c := newWorld(t, map[string]answer{"https://a.example.com/card.json": {body: `{"name":"itinerary"}`}})
	c.Wallet = wallet(t, credential.Basic{User: "us", Password: credential.Literal("itinerary")}, "https://a.example.com")
	if _, err := c.Get(t.Context(), Ask{URL: "https://a.example.com/card.json", Identity: "partner"}); err != nil {
		t.Error(err)
	}
}

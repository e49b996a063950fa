package rpc

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/go-json-experiment/json/jsontext"
)

const canary = "canary-/+0123456789"

// ways are how a credential goes on a request.
var ways = map[string]func(*http.Request){
	"bearer":         func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+canary) },
	"basic":          func(r *http.Request) { r.SetBasicAuth("me", canary) },
	"key in header":  func(r *http.Request) { r.Header.Set("X-Api-Key", canary) },
	"key in cookie":  func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "session", Value: canary}) },
	"key in query":   func(r *http.Request) { r.URL.RawQuery += "&key=" + url.QueryEscape(canary) },
	"a second value": func(r *http.Request) { r.Header.Add("X-Trace", canary) },
}

// echoes are what an agent may do with what it hears; the text is all of that.
var echoes = map[string]func(w http.ResponseWriter, text string){
	"an error": func(w http.ResponseWriter, text string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"$ID","error":{"code":-32007,"message":%s,"data":[{"@type":"x/google.rpc.ErrorInfo","domain":"a2a-protocol.org","reason":"%s","metadata":{"heard":%s}}]}}`,
			quoted(text), strings.ToUpper(text), quoted(text))
	},
	"a challenge": func(w http.ResponseWriter, text string) {
		w.Header().Set("WWW-Authenticate", `Bearer scope="`+text+`", error="`+text+`"`)
		w.WriteHeader(401)
		fmt.Fprintf(w, `{"error":{"message":%s}}`, quoted(text))
	},
	"a redirect": func(w http.ResponseWriter, text string) {
		w.Header().Set("Location", "/next?"+url.QueryEscape(text))
		w.WriteHeader(307)
	},
	"a status":       func(w http.ResponseWriter, text string) { w.WriteHeader(503); _, _ = io.WriteString(w, text) },
	"a content type": func(w http.ResponseWriter, text string) { w.Header().Set("Content-Type", "text/"+text) },
	"HTML":           func(w http.ResponseWriter, text string) { _, _ = io.WriteString(w, "<html>"+text) },
	"a card": func(w http.ResponseWriter, text string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"$ID","result":{"name":%s}}`, quoted(text))
	},
	"an extension": func(w http.ResponseWriter, text string) {
		w.Header().Set("A2A-Extensions", strings.ReplaceAll(text, ",", ""))
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"$ID","result":{}}`)
	},
}

func quoted(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

// What an agent heard comes back in no error, note or answer.
func TestNoSecretComesBack(t *testing.T) {
	for how, echo := range echoes {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked, _ := io.ReadAll(r.Body)
			text := strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), strings.Join(r.Header["X-Trace"], " "), r.Header.Get("Cookie"), r.URL.RawQuery, r.URL.Query().Get("key")}, " ")
			if _, password, ok := r.BasicAuth(); ok {
				text += password
			}
			rec := httptest.NewRecorder()
			echo(rec, text)
			maps.Copy(w.Header(), rec.Header())
			w.WriteHeader(rec.Code)
			body := rec.Body.String()
			if m := idIn.FindSubmatch(asked); m != nil {
				body = strings.ReplaceAll(body, "$ID", string(m[1]))
			}
			_, _ = io.WriteString(w, body)
		}))
		defer s.Close()
		for way, set := range ways {
			for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
				target := Target{URL: s.URL, Binding: binding, Version: "1.0", Header: http.Header{"X-Trace": {"mine"}}, Credential: func(r *http.Request) error {
					set(r)
					return nil
				}}
				answer, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
				searchFor(t, fmt.Sprintf("%s, %s, %s", how, way, binding), answer, err)
			}
		}
	}
}

// searchFor looks for the canary in everything that came of a call, in every form.
func searchFor(t *testing.T, name string, answer *Answer, err error) {
	t.Helper()
	parts := []any{err, fmt.Sprintf("%#v", err)}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if fmt.Sprintf("%T", e) == "*echo.cleaned" {
			break // what it wraps is for errors.As
		}
		parts = append(parts, e, fmt.Sprintf("%#v", e))
	}
	if e, ok := errors.AsType[*Error](err); ok {
		parts = append(parts, e.Message, string(e.Details), e.Reason)
	}
	if e, ok := errors.AsType[*AuthError](err); ok {
		parts = append(parts, e.Message, e.Challenges)
	}
	if e, ok := errors.AsType[*TransportError](err); ok {
		parts = append(parts, e.Redirect)
	}
	if answer != nil {
		parts = append(parts, string(answer.Body), answer.Notes, answer.Extensions)
	}
	text := fmt.Sprint(parts...)
	for _, form := range []string{canary, url.QueryEscape(canary), base64.StdEncoding.EncodeToString([]byte("me:" + canary))} {
		if strings.Contains(text, form) {
			t.Errorf("%s: %s is in %s", name, form, text)
		}
	}
}

func TestNoSecretComesBackOverGRPC(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.Unauthenticated, codes.Internal, codes.NotFound, codes.FailedPrecondition} {
		addr := raw(t, func(_ any, s grpc.ServerStream) error {
			md, _ := metadata.FromIncomingContext(s.Context())
			heard := fmt.Sprint(md)
			s.SetTrailer(metadata.Pairs("www-authenticate", "Bearer scope=\""+heard+"\""))
			return status.Error(code, heard)
		})
		target := Target{URL: addr, Binding: "GRPC", Version: "1.0", Credential: bearer(canary)}
		answer, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
		searchFor(t, code.String(), answer, err)
	}
}

// A password that is a common word does not make every card with it a bad one.
func TestCommonWordsAreNoEchoes(t *testing.T) {
	url := page{body: `{"name":"A","flows":{"password":{}}}`}.serve(t)
	for password, want := range map[string]string{"password": "ok {", `{"password":{}}}`: "undecodable: the answer repeats the credential that was sent"} {
		target := Target{URL: url, Binding: "HTTP+JSON", Version: "1.0", Credential: func(r *http.Request) error {
			r.SetBasicAuth("me", password)
			return nil
		}}
		if got := outcome(local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})); !strings.HasPrefix(got, want) {
			t.Errorf("with the password %s: %s, want %s", password, got, want)
		}
	}
}

// A credential's own error ends the call, as it is, and nothing was sent.
func TestCredentialsError(t *testing.T) {
	own := errors.New("not for that origin")
	asked := false
	for _, target := range hostile(t, func(http.ResponseWriter, *http.Request) { asked = true }) {
		target.Credential = func(r *http.Request) error {
			if r.URL.Host == "" || r.Header.Get("A2A-Version") != "1.0" {
				t.Errorf("the credential sees %s %v", r.URL, r.Header)
			}
			return own
		}
		if _, err := local(t).Call(context.Background(), target, Call{Operation: GetExtendedAgentCard}); err != own || asked {
			t.Errorf("error = %v (asked: %v), want the credential's own", err, asked)
		}
	}
}

package rpc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/envelope"
	"github.com/a2alock/a2alock/internal/reason"
)

// httpJSON makes the call over HTTP+JSON (A2A 11).
func (x *exchange) httpJSON(ctx context.Context) (*Answer, error) {
	r, err := x.rest()
	if err != nil {
		return nil, err
	}
	y, err := x.ask(ctx, *r)
	if err != nil {
		return nil, err
	}
	switch {
	case y.status/100 != 2 || y.status == http.StatusPartialContent:
		return nil, x.httpError(y)
	case len(y.body) == 0 && x.wire.isVoid():
		return y.answer(nil), nil
	}
	if err := envelope.Check(y.body); err != nil {
		return nil, x.undecodable(y.status, unread(y.body, err))
	}
	if isErrorAlone(y.body) { // as streams are refused, and by whom forgot the status
		if r, ok := reason.OfBody(y.body, y.status, x.wire.about()); ok {
			r.Framed = true
			return nil, x.refused(y, r)
		}
	}
	if x.wire.isVoid() {
		return y.answer(nil), nil
	}
	return y.answer(y.body), nil
}

// isErrorAlone is whether body has an error and nothing that an answer would have:
// a card may have a member of that name.
func isErrorAlone(body []byte) bool {
	o, err := envelope.Parse(body)
	if err != nil || !o.Has("error") {
		return false
	}
	for name := range o {
		switch name {
		case "error", "message", "jsonrpc", "id":
		default:
			return false
		}
	}
	return true
}

// rest builds the request: what the path names is taken out of params, the rest is
// the body, or the query of a verb without one.
func (x *exchange) rest() (*request, error) {
	u, err := x.base()
	if err != nil {
		return nil, err
	}
	o, err := envelope.Parse(x.params)
	if err != nil {
		return nil, &NotSpokenError{x.place, "params: " + err.Error()}
	}
	path, err := expand(x.wire.path, o)
	if err != nil {
		return nil, &NotSpokenError{x.place, err.Error()}
	}
	if t := x.target.Tenant; t != "" && !x.legacy() {
		s, err := segments(t)
		if err != nil {
			return nil, &NotSpokenError{x.place, "tenant: " + err.Error()}
		}
		path = "/" + s + path
	}
	escaped := strings.TrimSuffix(u.EscapedPath(), "/") + path
	if u.Path, err = url.PathUnescape(escaped); err != nil {
		return nil, x.transport(errNoURL)
	}
	u.RawPath = escaped
	r := &request{verb: x.wire.verb, accept: "application/a2a+json, application/json"}
	if x.wire.streams() {
		r.accept = "text/event-stream, " + r.accept
	}
	if r.verb == http.MethodPost {
		r.body = o.Encode()
	} else if err := query(u, o); err != nil {
		return nil, &NotSpokenError{x.place, err.Error()}
	}
	r.url = u.String()
	return r, nil
}

// expand puts members of o into the path, and takes them out of o.
func expand(path string, o envelope.Object) (string, error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(path, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(rest, "}")
		s, err := segment(o.Text(name))
		if err != nil {
			return "", errors.New("params: " + name + ": " + err.Error())
		}
		b.WriteString(s)
		delete(o, name)
		path = after
	}
}

// segment is s as one segment of a path. The ids of an agent are its own words:
// none may lead to another path.
func segment(s string) (string, error) {
	if s == "" || s == "." || s == ".." {
		return "", errors.New("a path needs a name here, not " + quote(s))
	}
	return url.PathEscape(s), nil
}

// segments is a tenant, which may have several ("locations/eu/projects/7").
func segments(s string) (string, error) {
	parts := strings.Split(s, "/")
	for i, part := range parts {
		var err error
		if parts[i], err = segment(part); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, "/"), nil
}

// query adds o to the query of u.
func query(u *url.URL, o envelope.Object) error {
	q := url.Values{}
	for name, value := range o {
		values := []jsontext.Value{value}
		if value.Kind() == '[' {
			values = envelope.List(value, 100)
		}
		for _, v := range values {
			switch v.Kind() {
			case '{', '[':
				return errors.New("params: " + quote(name) + " does not fit in a query")
			case '"':
				q.Add(name, envelope.Text(v))
			case 'n':
			default:
				q.Add(name, string(v))
			}
		}
	}
	if len(q) == 0 {
		return nil
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += q.Encode()
	return nil
}

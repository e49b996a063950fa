package netguard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// leastSecret is the length from which a value is looked for in foreign text:
// shorter ones are everywhere, and no secrets.
const leastSecret = 4

// secrets are what [Way.Credential] added to a request.
type secrets struct {
	names  []string // of parameters in the query
	values []string
}

// secretsOf compares a request with what became of it.
func secretsOf(before, after *http.Request) *secrets {
	s := &secrets{}
	query, appended := strings.CutPrefix(after.URL.RawQuery, before.URL.RawQuery)
	if !appended {
		query = after.URL.RawQuery
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "" {
			s.names = append(s.names, plain(name))
			s.values = append(s.values, plain(value))
		}
	}
	for name, list := range after.Header {
		if slices.Equal(list, before.Header[name]) {
			continue
		}
		for _, v := range list {
			fields := strings.Fields(v) // "Bearer TOKEN"
			if len(fields) == 0 {
				continue
			}
			last := fields[len(fields)-1]
			if _, value, ok := strings.Cut(last, "="); ok && name == "Cookie" {
				last = value
			}
			s.values = append(s.values, last)
		}
	}
	s.values = slices.DeleteFunc(s.values, func(v string) bool { return len(v) < leastSecret })
	return s
}

// cut takes the parameters that were added to a request out of u, where its
// server leads, as many servers repeat a query there; false where a value stands in u
// all the same. nil has none.
func (s *secrets) cut(u *url.URL) bool {
	if s == nil {
		return true
	}
	if len(s.names) > 0 && u.RawQuery != "" {
		pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			return slices.Contains(s.names, plain(name))
		})
		u.RawQuery = strings.Join(pairs, "&")
	}
	// A URL may hold another one, escaped.
	text := u.String()
	for range 3 {
		if slices.ContainsFunc(s.values, func(v string) bool { return strings.Contains(text, v) }) {
			return false
		}
		text = plain(text)
	}
	return true
}

// hide is err, or one without the values: the transport quotes what a server
// answers where HTTP is due, and some only say again what they hear.
func (s *secrets) hide(err error) error {
	if s == nil || err == nil {
		return err
	}
	text, hidden := err.Error(), false
	for _, v := range s.values {
		for _, form := range []string{v, url.QueryEscape(v)} {
			if strings.Contains(text, form) {
				text, hidden = strings.ReplaceAll(text, form, "[redacted]"), true
			}
		}
	}
	if !hidden {
		return err
	}
	return errors.New(text)
}

// plain is s unescaped, or s where it cannot be.
func plain(s string) string {
	if p, err := url.QueryUnescape(s); err == nil {
		return p
	}
	return s
}

package netguard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/echo"
)

// secrets are what [Way.Credential] added to a request.
type secrets struct {
	names  []string // of parameters in the query
	values echo.Secrets
}

// secretsOf compares a request with what became of it.
func secretsOf(before, after *http.Request) *secrets {
	s := &secrets{values: echo.Added(before, after)}
	query, appended := strings.CutPrefix(after.URL.RawQuery, before.URL.RawQuery)
	if !appended {
		query = after.URL.RawQuery
	}
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); name != "" {
			s.names = append(s.names, plain(name))
		}
	}
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
		if s.values.In(text) {
			return false
		}
		text = plain(text)
	}
	return true
}

// hide is err, whose text has none of the values: the transport quotes what a
// server answers where HTTP is due, and some only say again what they hear.
func (s *secrets) hide(err error) error {
	if s == nil {
		return err
	}
	return s.values.Without(err)
}

// plain is s unescaped, or s where it cannot be.
func plain(s string) string {
	if p, err := url.QueryUnescape(s); err == nil {
		return p
	}
	return s
}

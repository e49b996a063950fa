package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
)

const (
	wellKnown = "/.well-known/agent-card.json" // A2A 8.2
	legacy    = "/.well-known/agent.json"      // 0.2 and before
)

// Discover finds the card that source means, as identity sees it. A card URL (its
// path ends in ".json", or it has a query) is asked for byte for byte. Any other
// URL is a base: the well-known path under its own path, then at the origin, then the
// legacy name in the same places, then the URL as given. What is missing (404,
// 410, or a 200 that is no JSON object, as sites of one page answer for every
// path) leads to the next; every other failure stops, with its state.
//
// Redirects inside the origin are followed, and [Response.Final] names what
// answered; one to another origin is an error that names it, since pinning
// another origin is a person's decision. The error is an [*Error]; when no
// place had a card, its Tried has every answer.
func (c *Client) Discover(ctx context.Context, source, identity string) (*Response, error) {
	places, err := Places(source)
	if err != nil {
		return nil, &Error{URL: source, State: Unreachable, Err: err}
	}
	var tried []*Error
	for _, place := range places {
		r, err := c.get(ctx, Ask{URL: place, Identity: identity}, true)
		e, _ := errors.AsType[*Error](err)
		switch {
		case e != nil && e.Offsite:
			return nil, offsite(e)
		case e != nil && (e.State != NotFound || len(places) == 1):
			return nil, e
		case e != nil:
			tried = append(tried, e)
			continue
		case r.Offsite:
			return nil, offsite(&Error{URL: r.URL, Final: r.Final})
		case len(places) > 1 && !isObject(r.Body):
			tried = append(tried, &Error{
				URL: r.URL, Final: r.Final, State: card.NotJSON, Code: 200,
				Err: fmt.Errorf("no JSON object (content type %q)", r.Header.Get("Content-Type")),
			})
			continue
		}
		if len(places) > 1 && strings.HasSuffix(place, legacy) {
			r.Notes = append(r.Notes, "the card is at the legacy name agent.json, which A2A 0.3 replaced with agent-card.json")
		}
		return r, nil
	}
	// A body that is no card says more than a 404.
	worst := tried[0]
	if i := slices.IndexFunc(tried, func(e *Error) bool { return e.State == card.NotJSON }); i >= 0 {
		worst = tried[i]
	}
	return nil, &Error{URL: source, State: worst.State, Err: errors.New("no card found"), Tried: tried}
}

// Places are the URLs at which [Client.Discover] looks for the card that source
// means, in order, each once. The error says what is wrong with source.
func Places(source string) ([]string, error) {
	u, err := parse(source)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(u.Path), ".json") || u.RawQuery != "" || u.ForceQuery {
		return []string{source}, nil
	}
	own := strings.TrimRight(source, "/")
	origin := (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String()
	var list []string
	for _, place := range []string{own + wellKnown, origin + wellKnown, own + legacy, origin + legacy, source} {
		if !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return list, nil
}

func offsite(e *Error) *Error {
	return &Error{
		URL: e.URL, Final: e.Final, Offsite: true, State: Unreachable,
		Err: errors.New("that is another origin: pin that URL if you trust it"),
	}
}

// isObject is whether a body begins like a JSON object, a BOM aside.
func isObject(body []byte) bool {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/bounded"
)

// readBody reads the decoded body of a 200, at most limit bytes of it. Its
// error is an [*Error] where the body is too large.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	encoding := strings.Join(res.Header.Values("Content-Encoding"), ",")
	body, err := bounded.NewReader(res.Body, encoding, limit)
	if err != nil {
		return nil, err
	}
	if encoding == "" && res.ContentLength > limit {
		return nil, tooLarge(fmt.Errorf("the body has %d bytes, over the limit of %d", res.ContentLength, limit))
	}
	data, err := body.All()
	if _, odd := errors.AsType[*bounded.EncodingError](err); err == nil || odd {
		return data, err
	}
	if _, large := errors.AsType[*bounded.TooLargeError](err); large {
		return nil, tooLarge(err)
	}
	return nil, fmt.Errorf("reading the body: %w", err)
}

func tooLarge(err error) *Error { return &Error{State: card.TooLarge, Err: err} }

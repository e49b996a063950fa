// Package webhook posts CloudEvents 1.0 to a receiver, signed as Standard
// Webhooks has it.
//
// An [Event] goes out in structured mode as application/cloudevents+json. Its
// ID is the webhook-id, and stays over retries and crashes, so that a receiver
// drops what it has had; the webhook-timestamp is that of the attempt. The
// signature is HMAC-SHA256 over "id.timestamp.body", one for each [Secret], so
// that a receiver which knows either of two verifies during a rotation.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/retryafter"
)

// sendTimeout bounds one request, the reading of its answer included.
const sendTimeout = 20 * time.Second

// idLength is how many characters of an ID are kept: 130 bits.
const idLength = 26

var idAlphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ID is the webhook-id of what key names: 26 lower-case letters and digits, the
// same for the same key for ever.
func ID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return idAlphabet.EncodeToString(sum[:])[:idLength]
}

// HashOf is what is known of the SHA-256 of the key that id was made of: its
// first 16 bytes. ok is whether id is one.
func HashOf(id string) (sum []byte, ok bool) {
	sum, err := idAlphabet.DecodeString(id)
	return sum, err == nil && len(id) == idLength
}

// A Secret is a key that requests are signed with. It prints as REDACTED.
type Secret struct{ key []byte }

// secretPrefix marks a secret in Standard Webhooks' form, base64 behind it.
const secretPrefix = "whsec_"

// ParseSecret reads "whsec_" and base64, padded or not; any other text is the
// key as it stands. The error does not show the secret.
func ParseSecret(s string) (Secret, error) {
	text, isBase64 := strings.CutPrefix(s, secretPrefix)
	if !isBase64 {
		if s == "" {
			return Secret{}, errors.New("webhook secret: empty")
		}
		return Secret{key: []byte(s)}, nil
	}
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil || len(key) == 0 {
		return Secret{}, errors.New("webhook secret: want whsec_ and base64")
	}
	return Secret{key: key}, nil
}

// String implements [fmt.Stringer].
func (Secret) String() string { return "REDACTED" }

// GoString implements [fmt.GoStringer].
func (Secret) GoString() string { return "REDACTED" }

// Sign is the webhook-signature of body under one secret: "v1," and base64.
func (s Secret) Sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// An Event is a CloudEvent. Version and type of its data are filled in by
// [Client.Send].
type Event struct {
	SpecVersion     string    `json:"specversion"`
	ID              string    `json:"id"`
	Source          string    `json:"source"`
	Type            string    `json:"type"`
	Subject         string    `json:"subject,omitzero"`
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype"`
	Data            any       `json:"data"`
}

// A Client posts to one URL.
type Client struct {
	URL       string
	Secrets   []Secret          // none: unsigned
	Transport http.RoundTripper // nil: [http.DefaultTransport]
	UserAgent string
}

// Send posts e, and follows no redirect. It takes 20 s at most. An answer other
// than 2xx is a *StatusError. No error names the URL, which may be a secret.
func (c *Client) Send(ctx context.Context, e Event) error {
	e.SpecVersion, e.DataContentType = "1.0", "application/json"
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("writing the event: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	body := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's URL cannot be read")
	}
	c.sign(req.Header, e.ID, body)
	client := http.Client{
		Transport:     c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL
		}
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols {
		return &StatusError{Code: res.StatusCode} // its body is a connection, which need not end
	}
	defer context.AfterFunc(ctx, func() { res.Body.Close() })() // a body need not know of ctx
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxReason))
	if res.StatusCode/100 == 2 {
		return nil // whatever became of the rest of the answer
	}
	if err != nil {
		answer = nil
	}
	return &StatusError{Code: res.StatusCode, Reason: string(answer), RetryAfter: retryafter.Of(res.Header)}
}

func (c *Client) sign(h http.Header, id string, body []byte) {
	now := time.Now()
	h.Set("Content-Type", "application/cloudevents+json")
	if c.UserAgent != "" {
		h.Set("User-Agent", c.UserAgent)
	}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	signatures := make([]string, len(c.Secrets))
	for i, s := range c.Secrets {
		signatures[i] = s.Sign(id, now, body)
	}
	if len(signatures) > 0 {
		h.Set("Webhook-Signature", strings.Join(signatures, " "))
	}
}

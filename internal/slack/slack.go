// Package slack posts messages to Slack within Slack's limits: through an
// incoming webhook, or with a bot's token, which also goes on in threads and
// edits what it posted.
//
// Every text is taken for foreign: it is escaped, so that it can neither link
// nor mention, and cut where Slack would refuse it. The one link is
// [Section].Link. No error holds the webhook's URL or the token.
package slack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	goslack "github.com/slack-go/slack"

	"github.com/a2alock/a2alock/internal/retryafter"
)

// A Client posts through WebhookURL, or with Token to Channel.
type Client struct {
	WebhookURL     string
	Token, Channel string
	APIURL         string            // another server than Slack's; ends in "/"
	Transport      http.RoundTripper // nil: [http.DefaultTransport]
}

// IsBot reports whether c can go on in threads and edit.
func (c *Client) IsBot() bool { return c.Token != "" }

// Bucket names what Slack allows one message a second to.
func (c *Client) Bucket() string {
	if c.IsBot() {
		return c.APIURL + " " + c.Token + " " + c.Channel
	}
	return c.WebhookURL
}

// A Thread is where a bot's message stands.
type Thread struct{ Channel, TS string }

// An Error is an answer that takes nothing. Code is HTTP's, or the one that
// says of an API error whether it helps to try again (503), the message is at
// fault (400), or the channel or token (403, 404).
type Error struct {
	Code       int
	Reason     string // Slack's word for it
	RetryAfter time.Duration
}

// Error reads "Slack answered 403: invalid_auth".
func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("Slack answered %d %s", e.Code, http.StatusText(e.Code))
	}
	return fmt.Sprintf("Slack answered %d: %.100q", e.Code, e.Reason)
}

// sendTimeout bounds one request, the reading of its answer included.
const sendTimeout = 20 * time.Second

// Post posts m, in a thread unless in is zero, and returns where it stands: a
// webhook does not tell. It takes 20 s at most. An answer of Slack's that takes
// nothing is an *Error.
func (c *Client) Post(ctx context.Context, m *Message, in Thread) (Thread, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if !c.IsBot() {
		tap := &tap{next: c.Transport}
		blocks := goslack.Blocks{BlockSet: m.top()}
		off := false
		err := goslack.PostWebhookCustomHTTPContext(ctx, c.WebhookURL, tap.client(), &goslack.WebhookMessage{
			Text: m.text(), Blocks: &blocks, Attachments: []goslack.Attachment{m.attachment()},
			Parse: "none", UnfurlLinks: &off, UnfurlMedia: &off,
		})
		if err == nil && tap.body != "ok" { // a proxy's page, say
			return Thread{}, &Error{Code: http.StatusServiceUnavailable, Reason: strings.TrimSpace("200 without ok: " + tap.body)}
		}
		return Thread{}, tap.explain(err)
	}
	options := m.options()
	if in != (Thread{}) {
		options = append(options, goslack.MsgOptionTS(in.TS))
		if m.Broadcast {
			options = append(options, goslack.MsgOptionBroadcast())
		}
	}
	tap := &tap{next: c.Transport}
	channel := c.Channel
	if in.Channel != "" {
		channel = in.Channel
	}
	channel, ts, err := c.api(tap).PostMessageContext(ctx, channel, options...)
	return Thread{Channel: channel, TS: ts}, tap.explain(err)
}

// Update puts m in the place of a bot's message. Where that is gone, or may no
// longer be edited, there is nothing left to do, and no error.
func (c *Client) Update(ctx context.Context, m *Message, at Thread) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tap := &tap{next: c.Transport}
	_, _, _, err := c.api(tap).UpdateMessageContext(ctx, at.Channel, at.TS, m.options()...)
	if answer, ok := errors.AsType[goslack.SlackErrorResponse](err); ok && uneditable[answer.Err] {
		return nil
	}
	return tap.explain(err)
}

func (c *Client) api(tap *tap) *goslack.Client {
	options := []goslack.Option{goslack.OptionHTTPClient(tap.client())}
	if c.APIURL != "" {
		options = append(options, goslack.OptionAPIURL(c.APIURL))
	}
	return goslack.New(c.Token, options...)
}

var uneditable = map[string]bool{
	"message_not_found": true, "cant_update_message": true, "edit_window_closed": true,
}

// codes are what Slack's words for an error ask for: to be tried again, or for
// a person to look at the token or the channel. Every other is the message's.
var codes = map[string]int{
	"ratelimited": http.StatusTooManyRequests, "rate_limited": http.StatusTooManyRequests,
	"message_limit_exceeded": http.StatusTooManyRequests,
	"internal_error":         http.StatusServiceUnavailable, "fatal_error": http.StatusServiceUnavailable,
	"service_unavailable": http.StatusServiceUnavailable, "request_timeout": http.StatusServiceUnavailable,
	"team_added_to_org": http.StatusServiceUnavailable,

	"not_authed": http.StatusUnauthorized, "invalid_auth": http.StatusUnauthorized,
	"token_revoked": http.StatusUnauthorized, "token_expired": http.StatusUnauthorized,
	"account_inactive": http.StatusForbidden, "missing_scope": http.StatusForbidden,
	"no_permission": http.StatusForbidden, "not_in_channel": http.StatusForbidden,
	"not_allowed_token_type": http.StatusForbidden, "access_denied": http.StatusForbidden,
	"org_login_required": http.StatusForbidden, "ekm_access_denied": http.StatusForbidden,
	"restricted_action": http.StatusForbidden, "team_access_not_granted": http.StatusForbidden,
	"channel_not_found": http.StatusNotFound, "is_archived": http.StatusNotFound,
}

// A tap is the round tripper of one request. It remembers of the answer what
// slack-go leaves out of its errors.
type tap struct {
	next  http.RoundTripper
	code  int
	after time.Duration
	body  string // the first bytes of the answer
}

// maxAnswer bounds an answer that is read whole.
const maxAnswer = 1 << 20

// maxReason bounds how much of a refusing answer is read: far more than is shown,
// so that the caller can take secrets out of it while they are whole.
const maxReason = 4096

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	t.code, t.after = res.StatusCode, retryafter.Of(res.Header)
	body := res.Body
	defer body.Close()
	if res.StatusCode == http.StatusSwitchingProtocols {
		res.Body = http.NoBody // a connection, which need not end
		return res, nil
	}
	defer context.AfterFunc(r.Context(), func() { body.Close() })() // a body need not know of it
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil && res.StatusCode == http.StatusOK {
		return nil, err
	} else if err != nil {
		data = nil // a reason, if it can be had
	}
	t.body = strings.TrimSpace(string(data[:min(len(data), maxReason)]))
	res.Body = io.NopCloser(bytes.NewReader(data))
	return res, nil
}

func (t *tap) client() *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// explain is err as this package tells it.
func (t *tap) explain(err error) error {
	if err == nil {
		return nil
	}
	if answer, ok := errors.AsType[goslack.SlackErrorResponse](err); ok {
		code, ok := codes[answer.Err]
		if !ok {
			code = http.StatusBadRequest
		}
		reason := answer.Err
		if messages := answer.ResponseMetadata.Messages; len(messages) > 0 {
			reason += ": " + strings.Join(messages, "; ")
		}
		return &Error{Code: code, Reason: reason, RetryAfter: t.after}
	}
	if t.code != 0 && t.code != http.StatusOK {
		return &Error{Code: t.code, Reason: t.body, RetryAfter: t.after}
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err // without the URL
	}
	if t.code == 0 {
		return errors.New("the request to Slack could not be made")
	}
	return fmt.Errorf("reading Slack's answer: %w", err)
}

package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/netguard"
)

const (
	monday  = "Mon, 02 Nov 2026 10:00:00 GMT"
	tuesday = "Tue, 03 Nov 2026 10:00:00 GMT"
	future  = "Fri, 01 Jan 2199 10:00:00 GMT"
)

// What servers and caches do, one agent a row.
func TestRefresh(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"an ETag is opaque, and sent as it came", []step{
			{says: []answer{with("A", "ETag", `W/"a-gzip"`)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `W/"a-gzip"`)}, sent: []string{`W/"a-gzip"`}, want: "A, not modified"},
			{says: []answer{with("B", "ETag", "\"\xe9\xff\"")}, sent: []string{`W/"a-gzip"`}, want: "B"},
			{says: []answer{notModified()}, sent: []string{"\"\xe9\xff\""}, want: "B, not modified"},
		}},
		{"a validator that never matches", []step{
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{`"a-gzip"`}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{`"a-gzip"`}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{"no-cache"}, want: "A, same", change: unconditional},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{`"a-gzip"`}, want: "A, same, ineffective"},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{`"a-gzip"`}, want: "A, same, ineffective"},
			{says: []answer{notModified()}, sent: []string{`"a-gzip"`}, want: "A, not modified"},
			{says: []answer{with("A", "ETag", `"a-gzip"`)}, sent: []string{`"a-gzip"`}, want: "A, same"},
		}},
		{"the first answer ever is a 304", []step{
			{says: []answer{notModified(), with("A")}, sent: []string{"", "no-cache"}, want: "A"},
		}},
		{"nothing but 304", []step{
			{says: []answer{notModified(), notModified()}, sent: []string{"", "no-cache"}, want: "unreachable, 304, protocol"},
		}},
		{"a 304 when the body was lost", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{before: loseBody, says: []answer{notModified("ETag", `"a"`), with("A", "ETag", `"a"`)}, sent: []string{"", "no-cache"}, want: "A"},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified"},
		}},
		{"the body is not what it was", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{before: func(k *keeper) { k.body = []byte("B") }, says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
		}},
		{"a 304 to a request without a condition", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `"a"`), with("A", "ETag", `"a"`)}, sent: []string{"no-cache", "no-cache"}, want: "A, same", change: unconditional},
		}},
		{"ETags in rotation", []step{
			{says: []answer{with("A", "ETag", `"1"`)}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "ETag", `W/"2"`)}, sent: []string{`"1"`}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"3"`)}, sent: []string{`W/"2"`}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"1"`)}, sent: []string{`"3"`}, want: "A, same"},
		}},
		{"304 with the old tag, another spelling, none", []step{
			{says: []answer{with("A", "ETag", `W/"a"`, "Last-Modified", monday)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified()}, sent: []string{`W/"a"; ` + monday}, want: "A, not modified"},
			{says: []answer{notModified("ETag", `"a"`)}, sent: []string{`W/"a"; ` + monday}, want: "A, not modified"},
			{says: []answer{notModified("Last-Modified", tuesday)}, sent: []string{`"a"; ` + monday}, want: "A, not modified"},
			{says: []answer{with("A")}, sent: []string{`"a"; ` + tuesday}, want: "A, same"},
			{says: []answer{with("A")}, sent: []string{""}, want: "A, same"},
		}},
		{"a 304 of another answer", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `"b"`), with("B", "ETag", `"b"`)}, sent: []string{`"a"`, "no-cache"}, want: "B"},
			{says: []answer{notModified("ETag", `"c"`), status(503)}, sent: []string{`"b"`, "no-cache"}, want: "unreachable, 503"},
			{says: []answer{notModified("ETag", `"b"`)}, sent: []string{`"b"`}, want: "B, not modified"},
		}},
		{"a 304 with an ETag where the 200 had none", []step{
			{says: []answer{with("A", "Last-Modified", monday)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `"a"`, "Last-Modified", monday)}, sent: []string{monday}, want: "A, not modified"},
			{says: []answer{notModified()}, sent: []string{`"a"; ` + monday}, want: "A, not modified"},
		}},
		{"a 304 with an ETag and nothing that is known", []step{
			{says: []answer{with("A", "Last-Modified", monday)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `"a"`), with("A")}, sent: []string{monday, "no-cache"}, want: "A, same"},
		}},
		{"tags that are none are compared, not sent", []step{
			{says: []answer{with("A", "ETag", "bare")}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "ETag", `"a" "b"`)}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "ETag", `w/"a"`)}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "ETag", "bare", "Last-Modified", monday)}, sent: []string{""}, want: "A, same"},
			{says: []answer{notModified("ETag", "bare")}, sent: []string{monday}, want: "A, not modified"},
			{says: []answer{notModified("ETag", "other"), with("B", "ETag", "bare")}, sent: []string{monday, "no-cache"}, want: "B, unreliable"},
		}},
		{"a tag beyond all measure is not kept", []step{
			{says: []answer{with("A", "ETag", `"`+strings.Repeat("x", fieldBytes)+`"`)}, sent: []string{""}, want: "A"},
			{says: []answer{with("A")}, sent: []string{""}, want: "A, same"},
		}},
		{"Last-Modified alone", []step{
			{says: []answer{with("A", "Last-Modified", "Monday 2 November 2026")}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "Last-Modified", "Monday, 02-Nov-26 10:00:00 GMT")}, sent: []string{""}, want: "A, same"},
			{says: []answer{notModified()}, sent: []string{"Monday, 02-Nov-26 10:00:00 GMT"}, want: "A, not modified"},
		}},
		{"a clock in the future, no date at all, the very second", []step{
			{says: []answer{with("A", "Last-Modified", future)}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "Last-Modified", future, "Date", "Sat, 02 Jan 2199 10:00:00 GMT")}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", future, "Date", "")}, sent: []string{future}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", tuesday, "Date", monday)}, sent: []string{future}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", monday, "Date", "today")}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", "2026-11-02T10:00:00Z")}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", monday, "Date", monday)}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "Last-Modified", monday, "ETag", `"a"`, "Date", monday)}, sent: []string{""}, want: "A, same"},
			{says: []answer{notModified("Date", tuesday)}, sent: []string{`"a"`}, want: "A, not modified"},
			{says: []answer{notModified()}, sent: []string{`"a"; ` + monday}, want: "A, not modified"},
		}},
		{"freshness is told, and changes nothing", []step{
			{says: []answer{with("A", "Cache-Control", "max-age=0")}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "Cache-Control", "public, max-age=31536000")}, sent: []string{""}, want: "A, same, 8760h0m0s"},
			{says: []answer{with("A", "ETag", `"a"`, "Cache-Control", "max-age=600", "Age", "60")}, sent: []string{""}, want: "A, same, 9m0s"},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified, 10m0s"},
			{says: []answer{notModified("Cache-Control", "max-age=60")}, sent: []string{`"a"`}, want: "A, not modified, 1m0s"},
		}},
		{"no-store leaves nothing", []step{
			{says: []answer{with("A", "ETag", `"a"`, "Cache-Control", "private, No-Store")}, sent: []string{""}, want: "A, no store"},
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("Cache-Control", "no-store")}, sent: []string{`"a"`}, want: "A, not modified, no store"},
			{says: []answer{with("A", "Cache-Control", "no-store"+strings.Repeat(", x", fieldBytes))}, sent: []string{""}, want: "A, no store"},
			{says: []answer{with("A")}, sent: []string{""}, want: "A"},
		}},
		{"one ETag for two contents is found by looking past it", []step{
			{says: []answer{with("A", "ETag", `"v1"`)}, sent: []string{""}, want: "A"},
			{says: []answer{notModified("ETag", `"v1"`)}, sent: []string{`"v1"`}, want: "A, not modified"},
			{says: []answer{with("B", "ETag", `"v1"`)}, sent: []string{"no-cache"}, want: "B, unreliable", change: unconditional},
			{says: []answer{with("B", "ETag", `"v1"`)}, sent: []string{""}, want: "B, same"},
			{says: []answer{with("C", "ETag", `W/"v1"`)}, sent: []string{""}, want: "C, unreliable"},
			{says: []answer{with("D", "ETag", `"v2"`)}, sent: []string{""}, want: "D"},
			{says: []answer{with("D", "ETag", `"v2"`)}, sent: []string{""}, want: "D, same"},
		}},
		{"one date for two contents", []step{
			{says: []answer{with("A", "Last-Modified", monday)}, sent: []string{""}, want: "A"},
			{says: []answer{with("B", "Last-Modified", monday)}, sent: []string{monday}, want: "B, unreliable"},
		}},
		{"answers that vary", []step{
			{says: []answer{with("A", "ETag", `"a"`, "Vary", "accept-encoding, User-Agent,, Accept")}, sent: []string{""}, want: "A"},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified"},
			{before: func(k *keeper) { k.client.UserAgent = "a2alock/2" }, says: []answer{with("A", "ETag", `"a"`, "Vary", "*")}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"a"`, "Vary", "Accept, "+strings.Repeat("x", fieldBytes))}, sent: []string{""}, want: "A, same"},
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A, same"},
			{says: []answer{notModified("Vary", "*")}, sent: []string{`"a"`}, want: "A, not modified"},
			{says: []answer{with("A")}, sent: []string{""}, want: "A, same"},
		}},
		{"what one identity saw is nothing to another", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "ETag", `"p"`)}, sent: []string{""}, want: "A, same", change: func(r *Request) { r.Identity = "partner" }},
			{says: []answer{notModified()}, sent: []string{`"p"`}, want: "A, not modified", change: func(r *Request) { r.Identity = "partner" }},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified"},
		}},
		{"faults of the protocol change nothing", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{status(204)}, sent: []string{`"a"`}, want: "unreachable, 204, protocol"},
			{says: []answer{status(206)}, sent: []string{`"a"`}, want: "unreachable, 206, protocol"},
			{says: []answer{with("", "ETag", `"a"`)}, sent: []string{`"a"`}, want: "unreachable, 200, protocol"},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified"},
		}},
		{"an outage, and the same card after it", []step{
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{""}, want: "A"},
			{says: []answer{status(502)}, sent: []string{`"a"`}, want: "unreachable, 502"},
			{says: []answer{status(401)}, sent: []string{`"a"`}, want: "auth-required, 401"},
			{says: []answer{status(410)}, sent: []string{`"a"`}, want: "not-found, 410"},
			{says: []answer{with("A", "Content-Encoding", "br")}, sent: []string{`"a"`}, want: "unreachable"},
			{says: []answer{with(strings.Repeat("x", DefaultBytes+1))}, sent: []string{`"a"`}, want: "card-too-large"},
			{says: []answer{notModified()}, sent: []string{`"a"`}, want: "A, not modified"},
		}},
		{"the digest is of decoded bytes", []step{
			{says: []answer{with(string(zip([]byte("A"))), "ETag", `"a"`, "Content-Encoding", "gzip")}, sent: []string{""}, want: "A"},
			{says: []answer{with("A", "ETag", `"a"`)}, sent: []string{`"a"`}, want: "A, same"},
		}},
		{"any content type", []step{
			{says: []answer{with("<html>", "Content-Type", "text/html")}, sent: []string{""}, want: "<html>"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { play(t, tt.steps) })
	}
}

// Each request is told of, with what it carried itself.
func TestAsked(t *testing.T) {
	answers := map[string][]answer{}
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		list := answers[r.URL.Path]
		list[0].write(w)
		answers[r.URL.Path] = list[1:]
	})
	var told []string
	c.Asked = func(code int, conditional bool) { told = append(told, fmt.Sprint(code, conditional)) }
	c.Gates = &gate.Gates{Gap: -1}
	k := &keeper{t: t, client: c, url: cardURL}
	const card, v2 = "/card.json", "/v2"
	moved, tagged := answer{location: v2}, with("A", "ETag", `"a"`)
	for _, tt := range []struct {
		name    string
		answers map[string][]answer
		change  func(*Request)
		want    []string
	}{
		{"first", map[string][]answer{card: {tagged}}, nil, []string{"200 false"}},
		{"conditional", map[string][]answer{card: {notModified()}}, nil, []string{"304 true"}},
		{"unconditional", map[string][]answer{card: {tagged}}, unconditional, []string{"200 false"}},
		{"moved", map[string][]answer{card: {moved}, v2: {tagged}}, nil, []string{"302 true", "200 false"}},
		{"moved again", map[string][]answer{card: {moved}, v2: {notModified()}}, nil, []string{"302 true", "304 true"}},
		{
			"asked twice",
			map[string][]answer{card: {moved, tagged}, v2: {notModified("ETag", `"b"`)}},
			nil,
			[]string{"302 true", "304 true", "200 false"},
		},
		{"astray", map[string][]answer{card: {answer{location: "http://a.example.com/"}}}, nil, []string{"0 true"}},
		{"slow down", map[string][]answer{card: {status(429, "Retry-After", "60")}}, nil, []string{"429 true"}},
		{"not sent", nil, nil, nil},
	} {
		answers, told = tt.answers, nil
		_, _ = k.refresh(tt.change)
		if !slices.Equal(told, tt.want) {
			t.Errorf("%s: told of %q, want %q", tt.name, told, tt.want)
		}
	}
}

func TestNotesOfARefresh(t *testing.T) {
	says := []answer{with("A", "ETag", `"a"`)}
	_, c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		says[0].write(w)
		says = says[1:]
	})
	k := &keeper{t: t, client: c, url: cardURL}
	for _, tt := range []struct {
		says []answer
		note string
	}{
		{[]answer{with("A", "ETag", `"a"`)}, ""},
		{[]answer{with("A", "ETag", `"a"`)}, ""},
		{[]answer{with("A", "ETag", `"a"`)}, ""},
		{[]answer{with("A", "ETag", `"a"`)}, "the validator never matches: the server sends the whole card although it has not changed"},
		{[]answer{with("A", "ETag", `"a"`)}, ""},
		{[]answer{notModified("ETag", "\"\u202e\""), with("A", "ETag", `"a"`)}, `answered 304 for ETag "\"\u202e\"", which is not the one that is stored, and was asked once more`},
	} {
		says = tt.says
		a, err := k.refresh(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.Notes, "\n"); got != tt.note {
			t.Errorf("notes = %q, want %q", got, tt.note)
		}
	}
	says = []answer{with("B", "ETag", `"a"`)}
	a, _ := k.refresh(nil)
	if want := `two contents came with one ETag, "\"a\""`; a.Detail != want {
		t.Errorf("Detail = %q, want %q", a.Detail, want)
	}
}

func TestAnswerTellsOfTheWay(t *testing.T) {
	w, c := newWorld(t, map[string]answer{cardURL: with(
		"A", "Age", "12", "Via", "1.1 x\u202ey", "Cache-Status", `cdn; hit`, "Date", monday, "Set-Cookie", "id=1",
	)})
	k := &keeper{t: t, client: c, url: cardURL}
	a, err := k.refresh(nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Caches != (Caches{"12", `1.1 x\u202ey`, "cdn; hit"}) || a.Date.Add(-12*time.Second).Format(http.TimeFormat) != monday ||
		a.Addr != netip.MustParseAddrPort("93.184.215.14:443") || a.Status != 200 || a.Final != cardURL {
		t.Errorf("answer = %+v", a)
	}
	if _, err := k.refresh(unconditional); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "A2a-Version": {"1.0"},
		"User-Agent": {"a2alock/1.2.3"}, "Cache-Control": {"no-cache"},
	}
	if !maps.EqualFunc(w.last.Header, want, slices.Equal) {
		t.Errorf("sent %v, want %v", w.last.Header, want)
	}
}

// Validators go to the URL that they came from, in the origin that was asked.
func TestRefreshAcrossRedirects(t *testing.T) {
	answers := map[string]answer{}
	var sent []string
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		u := "https://" + r.Host + r.RequestURI
		sent = append(sent, u+" "+conditions(r)+r.Header.Get("Referer"))
		a := answers[u]
		if tag := a.header["ETag"]; a.location == "" && tag != "" && r.Header.Get("If-None-Match") == tag {
			a = notModified("ETag", tag)
		}
		a.write(w)
	})
	k := &keeper{t: t, client: c, url: cardURL}
	refresh := func(want string, final string, offsite bool, asked ...string) {
		t.Helper()
		sent = nil
		a, err := k.refresh(nil)
		if got := outcome(a, err); got != want || err == nil && (a.Final != final || a.Offsite != offsite) {
			t.Errorf("%s from %s, offsite %v; want %s", got, a.Final, a.Offsite, want)
		}
		if !slices.Equal(sent, asked) {
			t.Errorf("asked\n%q\nwant\n%q", sent, asked)
		}
	}
	moved := answer{location: "/v2?x=1", header: map[string]string{"ETag": `"hop"`}}
	const v2, b = "https://a.example.com/v2?x=1", "https://b.example.com/card.json"
	answers[v2], answers[b] = with("A", "ETag", `"v2"`), with("A", "ETag", `"b"`)

	answers[cardURL] = with("A", "ETag", `"a"`)
	refresh("A", cardURL, false, cardURL+" ")
	answers[cardURL] = moved
	refresh("A, same", v2, false, cardURL+` "a"`, v2+" ")
	refresh("A, not modified", v2, false, cardURL+` "a"`, v2+` "v2"`)
	answers[cardURL] = answer{location: b}
	refresh("A, same", b, true, cardURL+` "a"`, b+" ")
	refresh("A, same", b, true, cardURL+` "a"`, b+" ")
	answers[cardURL] = with("B", "ETag", `"a2"`)
	refresh("B", cardURL, false, cardURL+` "a"`)
	answers[cardURL] = moved
	refresh("A", v2, false, cardURL+` "a2"`, v2+" ")
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		code  int
		after string
		date  string
		want  string
	}{
		{429, "120", monday, "unreachable, 429, retry after 2m0s"},
		{503, "120", monday, "unreachable, 503, retry after 2m0s"},
		{500, "120", monday, "unreachable, 500"},
		{301, "120", monday, "unreachable"},
		{429, "86400", monday, "unreachable, 429, retry after 24h0m0s"},
		{429, "999999", monday, "unreachable, 429, retry after 24h0m0s"},
		{429, strings.Repeat("9", 40), monday, "unreachable, 429, retry after 24h0m0s"},
		{429, "0", monday, "unreachable, 429"},
		{429, "-5", monday, "unreachable, 429"},
		{429, "+5", monday, "unreachable, 429"},
		{429, "1.5", monday, "unreachable, 429"},
		{429, "abc", monday, "unreachable, 429"},
		{429, "", monday, "unreachable, 429"},
		// The server's clock is not ours: what counts is its own difference.
		{503, "Mon, 02 Nov 2026 10:01:30 GMT", monday, "unreachable, 503, retry after 1m30s"},
		{503, "Monday, 02-Nov-26 10:01:30 GMT", monday, "unreachable, 503, retry after 1m30s"},
		{503, "Mon, 02 Nov 2026 09:00:00 GMT", monday, "unreachable, 503"},
		{503, "Mon, 09 Nov 2026 10:00:00 GMT", monday, "unreachable, 503, retry after 24h0m0s"},
		{503, future, "soon", "unreachable, 503, retry after 24h0m0s"},
	} {
		_, c := newWorld(t, map[string]answer{cardURL: status(tt.code, "Retry-After", tt.after, "Date", tt.date)})
		k := &keeper{t: t, client: c, url: cardURL}
		if got := outcome(k.refresh(nil)); got != tt.want {
			t.Errorf("%d, Retry-After %q at %s: %s, want %s", tt.code, tt.after, tt.date, got, tt.want)
		}
	}
}

func TestFreshConnectionsAndOtherAddresses(t *testing.T) {
	var conns atomic.Int32
	_, c := newWorld(t, map[string]answer{cardURL: with("A")})
	dial := c.Guard.Dial
	c.Guard = &netguard.Guard{
		TLS: c.Guard.TLS, Resolver: two{},
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conns.Add(1)
			return dial(ctx, network, addr)
		},
	}
	t.Cleanup(c.Guard.CloseIdle)
	k := &keeper{t: t, client: c, url: cardURL}
	first, second := netip.MustParseAddrPort("93.184.215.14:443"), netip.MustParseAddrPort("93.184.215.15:443")
	for i, tt := range []struct {
		change func(*Request)
		addr   netip.AddrPort
		reused bool
	}{
		{nil, first, false},
		{nil, first, true},
		{func(r *Request) { r.Fresh = true }, first, false},
		{func(r *Request) { r.Fresh, r.Avoid = true, first }, second, false},
		{func(r *Request) { r.Fresh, r.Avoid = true, second }, first, false},
		{nil, first, true},
	} {
		before := conns.Load()
		a, err := k.refresh(tt.change)
		if err != nil || a.Addr != tt.addr || (conns.Load() == before) != tt.reused {
			t.Fatalf("refresh %d = %+v, %v on %d new connections, want from %s", i, a, err, conns.Load()-before, tt.addr)
		}
	}
}

// two are the addresses of every host.
type two struct{}

func (two) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("93.184.215.15")}, nil
}

func TestRefreshOfWhatIsNoURL(t *testing.T) {
	_, err := new(Client).Refresh(t.Context(), Request{URL: "card.json"})
	failed(t, err, Unreachable, "card.json: refused: no URL: it does not begin with https://")

	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err = new(Client).Refresh(t.Context(), Request{URL: s.URL})
	failed(t, err, Unreachable, s.URL+": dial tcp "+s.Listener.Addr().String()+": connect: connection refused")
	_, err = new(Client).Refresh(t.Context(), Request{URL: "https://127.0.0.1.:1/"})
	if e, ok := errors.AsType[*Error](err); !ok || e.State != Unreachable {
		t.Errorf("error = %v", err)
	}
}

func BenchmarkRefreshNotModified(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.WriteHeader(http.StatusNotModified)
	}))
	defer s.Close()
	body := bytes.Repeat([]byte("x"), 4<<10)
	c := Client{Gates: &gate.Gates{Gap: -1}}
	url := s.URL + "/card.json"
	r := Request{
		URL: url, Body: func() ([]byte, bool) { return body, true },
		Memory: Memory{Entries: []Entry{{
			URL: url, Digest: digestOf(body), ETag: `"a"`, Variant: variant(http.Header{"A2a-Version": {"1.0"}}, nil),
		}}},
	}
	b.ReportAllocs()
	for b.Loop() {
		if a, err := c.Refresh(b.Context(), r); err != nil || !a.NotModified {
			b.Fatal(a, err)
		}
	}
}

// A caller that holds the body asks by its digest, and reads nothing.
func TestHeldBodyIsNotRead(t *testing.T) {
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("If-None-Match") == `"a"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		answer{body: aCard}.write(w)
	})
	first, err := c.Refresh(t.Context(), Request{URL: bodyURL})
	if err != nil {
		t.Fatal(err)
	}
	unread := func() ([]byte, bool) { t.Error("the body was read"); return nil, false }
	a, err := c.Refresh(t.Context(), Request{URL: bodyURL, Memory: first.Memory, Body: unread, Held: digestOf(first.Body)})
	if err != nil || !a.NotModified || a.Body != nil {
		t.Errorf("by its digest: %+v, %v, want a 304 and no body", a, err)
	}
	a, err = c.Refresh(t.Context(), Request{URL: bodyURL, Memory: first.Memory, Body: unread, Held: digestOf([]byte("another"))})
	if err != nil || a.NotModified || string(a.Body) != aCard {
		t.Errorf("by another digest: %+v, %v, want the card", a, err)
	}
}

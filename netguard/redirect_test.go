package netguard

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// to answers /N with the Nth redirect of a chain, and all else with 200.
func redirects(status int, chain ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n >= len(chain) {
			ok(w, r)
			return
		}
		w.Header()["Location"] = []string{chain[n]}
		w.WriteHeader(status)
		fmt.Fprint(w, "moved")
	}
}

func TestRedirectsAreFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		w := newWorld(t, redirects(status, "/1", "https://A.example.com./2#part", "https://a.example.com:443/end"))
		res, hops, err := get(t, w.guard(t), "https://a.example.com/0", nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%d: %v, %v", status, res, err)
		}
		want := []Hop{
			{status, "https://a.example.com/0", "https://a.example.com/1", false},
			{status, "https://a.example.com/1", "https://a.example.com/2", false},
			{status, "https://a.example.com/2", "https://a.example.com:443/end", false},
		}
		if !slices.Equal(hops, want) {
			t.Errorf("hops = %v, want %v", hops, want)
		}
	}
}

func TestOtherStatusesAreAnswers(t *testing.T) {
	for _, status := range []int{201, 300, 304, 305, 306, 399} {
		w := newWorld(t, redirects(status, "https://b.example.com/1"))
		res, hops, err := get(t, w.guard(t), "https://a.example.com/0", nil)
		if err != nil || res.StatusCode != status || hops != nil {
			t.Errorf("%d = %v, %v, %v, want it as the answer", status, res, hops, err)
		}
	}
}

func TestRedirectsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chain []string
		kind  Kind
		hops  int
		want  string
	}{
		{
			"four",
			[]string{"/1", "/2", "/3", "/4"},
			KindRedirect, 3,
			"redirect to https://a.example.com/4 refused: it is one more than 3",
		},
		{
			"a loop",
			[]string{"/0"},
			KindRedirect, 3,
			"redirect to https://a.example.com/0 refused: it is one more than 3",
		},
		{
			"https to http",
			[]string{"http://plain.example.com/x?token=geheim"},
			KindRedirect, 0,
			"redirect to http://plain.example.com/x?token=REDACTED refused: it leads from https to http",
		},
		{
			"https to http on loopback",
			[]string{"http://localhost:9000/"},
			KindRedirect, 0,
			"redirect to http://localhost:9000/ refused: it leads from https to http",
		},
		{
			"http at the second hop",
			[]string{"/1", "http://plain.example.com/"},
			KindRedirect, 1,
			"redirect to http://plain.example.com/ refused: it leads from https to http",
		},
		{
			"metadata",
			[]string{"http://169.254.169.254/latest/meta-data/"},
			KindRedirect, 0,
			"redirect to http://169.254.169.254/latest/meta-data/ refused: it leads from https to http",
		},
		{
			"metadata over https",
			[]string{"https://169.254.169.254/"},
			KindAddress, 0,
			"redirect to https://169.254.169.254/ refused: 169.254.169.254 is a cloud metadata address",
		},
		{
			"a name that leads inside",
			[]string{"https://inside.example.com/"},
			KindAddress, 1,
			"redirect to https://inside.example.com/ refused: inside.example.com leads to 10.0.0.4, a private address",
		},
		{
			"localhost",
			[]string{"https://localhost:8443/"},
			KindAddress, 0,
			"redirect to https://localhost:8443/ refused: localhost leads to 127.0.0.1, a loopback address",
		},
		{
			"a number",
			[]string{"https://2130706433/"},
			KindURL, 0,
			`redirect to https://2130706433/ refused: host "2130706433": an IPv4 address is written as four decimal numbers, like 192.0.2.1`,
		},
		{
			"a file",
			[]string{"file:///etc/passwd"},
			KindURL, 0,
			`redirect to file:///etc/passwd refused: scheme "file" is not https`,
		},
		{
			"gopher",
			[]string{"gopher://a.example.com/1"},
			KindURL, 0,
			`redirect to gopher://a.example.com/1 refused: scheme "gopher" is not https`,
		},
		{
			"a user name",
			[]string{"https://me:geheim@a.example.com/"},
			KindURL, 0,
			"redirect to https://REDACTED@a.example.com/ refused: a URL carries no user name or password",
		},
		{"no Location", []string{""}, KindRedirect, 0, "refused: 302 without a Location"},
		{"no URL", []string{"https://a.example.com:port/"}, KindRedirect, 0, "refused: 302 with a Location that is no URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, redirects(302, tt.chain...))
			w.names["inside.example.com"] = []string{"10.0.0.4"}
			g := w.guard(t)
			g.HTTP = []string{"plain.example.com", "169.254.169.254", "localhost"}
			_, hops, err := get(t, g, "https://a.example.com/0", nil)
			r := refusedAs(t, err, tt.kind)
			if err.Error() != tt.want || !r.Redirected || len(hops) != tt.hops {
				t.Errorf("error = %q after %d hops (redirected %v), want %q after %d", err, len(hops), r.Redirected, tt.want, tt.hops)
			}
			for _, d := range w.dials() {
				if !strings.HasPrefix(d, public+":") {
					t.Errorf("dialed %s", d)
				}
			}
		})
	}
}

func TestPlainHopsNeedTheirOwnLeave(t *testing.T) {
	w := newWorld(t, redirects(302, "http://b.example.com/x"))
	g := w.guard(t)
	g.HTTP = []string{"a.example.com"}
	_, _, err := get(t, g, "http://a.example.com/0", nil)
	refusedAs(t, err, KindPlain)

	g = w.guard(t)
	g.HTTP = []string{"a.example.com", "b.example.com"}
	if res, hops, err := get(t, g, "http://a.example.com/0", nil); err != nil || res.StatusCode != 200 || !hops[0].Offsite {
		t.Errorf("http to http between listed hosts = %v, %v, %v", res, hops, err)
	}
	// A named host may send on to another port of its own, which is another
	// origin, and to no other host of the same machine.
	w = newWorld(t, redirects(302, "http://localhost:9001/x"))
	res, hops, err := get(t, w.guard(t).Named("http://localhost:9000/"), "http://localhost:9000/0", nil)
	if err != nil || res.StatusCode != 200 || !hops[0].Offsite {
		t.Errorf("another port of a named host = %v, %v, %v", res, hops, err)
	}
	w = newWorld(t, redirects(302, "http://127.0.0.1:9000/x"))
	_, _, err = get(t, w.guard(t).Named("http://localhost:9000/"), "http://localhost:9000/0", nil)
	refusedAs(t, err, KindPlain)
}

func TestWhatRedirectedRequestsCarry(t *testing.T) {
	header := http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"a2alock/1"}, "A2a-Version": {"1.0"},
		"Authorization": {"Bearer geheim"}, "X-Key": {"geheim"}, "Cookie": {"id=geheim"}, "If-None-Match": {`"geheim"`},
	}
	bare := []string{"A2a-Version", "Accept", "Accept-Encoding", "User-Agent"}
	all := append(slices.Clone(bare), "Authorization", "Cookie", "X-Key")
	for _, tt := range []struct {
		name  string
		chain []string
		want  [][]string // per hop
	}{
		{"same origin", []string{"/1", "https://A.EXAMPLE.com:443/end"}, [][]string{all, all}},
		{"another host", []string{"https://b.example.com/end"}, [][]string{bare}},
		{"another port", []string{"https://a.example.com:8443/end"}, [][]string{bare}},
		{"there and back", []string{"https://b.example.com/1", "https://a.example.com/end"}, [][]string{bare, bare}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, redirects(307, tt.chain...))
			_, hops, err := get(t, w.guard(t), "https://a.example.com/0", header.Clone())
			if err != nil {
				t.Fatal(err)
			}
			seen := w.requests()
			if first := seen[0].Header.Get("If-None-Match"); first != `"geheim"` {
				t.Errorf("the first request carries If-None-Match %q", first)
			}
			for i, want := range tt.want {
				got := slices.Sorted(maps.Keys(seen[i+1].Header))
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("hop %d carries %v, want %v", i, got, want)
				}
				if offsite := len(want) == len(bare); hops[i].Offsite != offsite {
					t.Errorf("hop %d: Offsite = %v, want %v", i, hops[i].Offsite, offsite)
				}
			}
		})
	}
}

func TestOtherMethodsAreNotRedirected(t *testing.T) {
	w := newWorld(t, redirects(307, "https://b.example.com/1"))
	req, err := http.NewRequest(http.MethodPost, "https://a.example.com/0", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res, hops, err := w.guard(t).Do(t.Context(), req)
	if err != nil || res.StatusCode != 307 || hops != nil {
		t.Fatalf("POST = %v, %v, %v, want the 307", res, hops, err)
	}
	res.Body.Close()
}

func TestDoLeavesTheRequestAlone(t *testing.T) {
	w := newWorld(t, redirects(307, "https://b.example.com/1"))
	req, _ := http.NewRequest(http.MethodGet, "https://A.example.com/0", nil)
	req.Header.Set("X-Key", "k")
	res, _, err := w.guard(t).Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	if req.URL.String() != "https://A.example.com/0" || req.Header.Get("X-Key") != "k" {
		t.Errorf("the request is now %s with %v", req.URL, req.Header)
	}
}

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
)

func start(t testing.TB, c Config) *Fleet {
	t.Helper()
	f, err := Start(c)
	if err != nil {
		t.Skipf("no fleet here: %v", err) // only Linux has all of 127.0.0.0/8
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// get asks for a card, with etag unless it is "".
func get(t testing.TB, url, etag string) (code int, newTag string, body []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("ETag"), body
}

func find(f *Fleet, k kind) int {
	for i, have := range f.kinds {
		if have == k && !f.dead[i%f.config.Hosts] {
			return i
		}
	}
	return -1
}

func TestServe(t *testing.T) {
	f := start(t, Config{Agents: 40, Hosts: 8, Slow: 0.1, SlowBy: time.Millisecond, Drift: 0.25, Lie: 0.25, DriftEvery: time.Hour, CardBytes: 4096})
	for k, name := range []string{"honest", "slow", "drifting", "lying"} {
		i := find(f, kind(k))
		code, etag, body := get(t, f.CardURL(i), "")
		if code != http.StatusOK || len(body) < 3800 || len(body) > 4400 {
			t.Errorf("%s: %d and %d bytes, want 200 and about 4096", name, code, len(body))
		}
		c, err := card.Parse(body, card.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(c.Interfaces) == 0 || c.Interfaces[0].URL != f.Base(i)+"/rpc" {
			t.Errorf("%s: interfaces %+v, want one at %s", name, c.Interfaces, f.Base(i))
		}
		if code, _, body := get(t, f.CardURL(i), etag); code != http.StatusNotModified || len(body) != 0 {
			t.Errorf("%s: with its ETag %d, want 304", name, code)
		}

		f.began = f.began.Add(-f.config.DriftEvery) // no request is under way
		code, newTag, newBody := get(t, f.CardURL(i), etag)
		_, _, whole := get(t, f.CardURL(i), "")
		changed := !bytes.Equal(whole, body)
		want := kind(k) == drifting || kind(k) == lying
		if changed != want || (newTag != etag) != (kind(k) == drifting) {
			t.Errorf("%s: later changed = %v, ETag %s, then %s", name, changed, etag, newTag)
		}
		if told := code == http.StatusOK; told != (kind(k) == drifting) || told && !bytes.Equal(newBody, whole) {
			t.Errorf("%s: later with the old ETag %d", name, code)
		}
	}
	for _, path := range []string{"/a/40" + wellKnown, "/a/1" + wellKnown, "/a/-8" + wellKnown, "/a/x" + wellKnown, "/a/0", "/"} {
		if code, _, _ := get(t, f.host(0)+path, ""); code != http.StatusNotFound {
			t.Errorf("%s on host 0: %d, want 404", path, code)
		}
	}
}

func TestCount(t *testing.T) {
	f := start(t, Config{Agents: 12, Hosts: 4})
	for range 3 {
		for i := range 8 {
			_, etag, _ := get(t, f.CardURL(i), "")
			get(t, f.CardURL(i), etag)
		}
	}
	get(t, f.host(2)+"/nothing", "")
	_, _, body := get(t, f.StatsURL(), "")
	var s Stats
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatal(err)
	}
	if s.Requests != 48 || s.Conditional != 24 || s.NotModified != 24 || s.NotModifiedShare != 0.5 ||
		s.AgentsSeen != 8 || s.Unknown != 1 || s.Unanswered != 0 {
		t.Errorf("%s, want 48 requests for 8 agents, half of them 304", body)
	}
	if s.Gap.Min <= 0 || s.Gap.Min > s.Gap.Mean || s.Gap.Mean > s.Gap.Max {
		t.Errorf("gaps %+v", s.Gap)
	}
	if s.InFlight != 0 || s.InFlightMax != 1 || s.InFlightPerHostMax != 1 {
		t.Errorf("in flight %d, max %d, per host %d, want 0, 1, 1", s.InFlight, s.InFlightMax, s.InFlightPerHostMax)
	}
	if s.ConnectionsOpened < 4 || s.ConnectionsMax < 1 || s.ConnectionsPerHostMax < 1 {
		t.Errorf("connections %s", body)
	}
	res, err := http.Post(f.host(0)+"/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if s := f.Stats(); s.Requests != 0 || s.AgentsSeen != 0 || s.Gap != (Spread{}) || s.Unknown != 0 {
		t.Errorf("after a reset %+v", s)
	}
}

func TestDeadHosts(t *testing.T) {
	f := start(t, Config{Agents: 20, Hosts: 10, Dead: 0.2})
	dead := 0
	for h, is := range f.dead {
		if !is {
			continue
		}
		dead++
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.CardURL(h), nil)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := http.DefaultClient.Do(req)
			done <- err
		}()
		for f.Stats().InFlight == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; err == nil {
			t.Errorf("dead host %d answered", h)
		}
		for f.Stats().InFlight != 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if s := f.Stats(); dead != 2 || s.DeadHosts != 2 || s.Unanswered != 2 {
		t.Errorf("%d dead hosts, stats %+v, want 2", dead, s)
	}
}

func TestKinds(t *testing.T) {
	var got [4]int
	for _, k := range kinds(Config{Agents: 1000, Slow: 0.1, Drift: 0.2, Lie: 0.05}) {
		got[k]++
	}
	if want := [4]int{650, 100, 200, 50}; got != want {
		t.Errorf("kinds %v, want %v", got, want)
	}
	for _, c := range []Config{{Slow: 0.6, Lie: 0.6}, {Dead: 1.1}, {Drift: -0.1}, {Agents: -1}, {Hosts: -1}} {
		if f, err := Start(c); err == nil {
			f.Close()
			t.Errorf("Start(%+v) is taken", c)
		}
	}
}

func TestStartsAreWholeSeconds(t *testing.T) {
	var c count
	c.reset(Config{Agents: 1, Hosts: 1}, time.Now())
	for second, n := range []int32{0, 3, 10, 12, 8, 10, 99} {
		c.starts[second].Store(n)
	}
	got := startsOf(c.starts, 6)
	if got.Spread != (Spread{8, 10, 12}) || got.Deviation != 0.2 || len(got.Histogram) != 4 {
		t.Errorf("startsOf = %+v, want 8 to 12, a fifth off the mean of 10", got)
	}
}

func TestWriteLocks(t *testing.T) {
	f := start(t, Config{Agents: 10, Hosts: 4})
	dir := t.TempDir()
	if err := f.WriteLocks(dir, "@every 60s"); err != nil {
		t.Fatal(err)
	}
	paths, err := lockfile.Find([]string{dir})
	if err != nil || len(paths) != 10 {
		t.Fatalf("%d locks, %v, want 10", len(paths), err)
	}
	urls := map[string]bool{}
	for _, path := range paths {
		l, err := lockfile.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		urls[l.Agent] = true
	}
	for i := range 10 {
		if !urls[f.CardURL(i)] {
			t.Errorf("no lock of %s", f.CardURL(i))
		}
	}
	if _, err := config.Load(filepath.Join(dir, "a2alock.yaml")); err != nil {
		t.Error(err)
	}
}

func TestRun(t *testing.T) {
	start(t, Config{Agents: 2, Hosts: 2}) // or skip
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-agents", "10", "-hosts", "2", "-dead", "0.5"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var s Stats
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil || s.Agents != 10 || s.Hosts != 2 || s.DeadHosts != 1 {
		t.Errorf("%v: %s", err, &stdout)
	}
	for args, want := range map[string]int{"-nope": 2, "-slow=2": 1} {
		if code := run(ctx, []string{args}, io.Discard, io.Discard); code != want {
			t.Errorf("%s: exit %d, want %d", args, code, want)
		}
	}
}

// The fleet must not be what a sweep waits for: 10,000 requests a second.
func BenchmarkNotModified(b *testing.B) {
	f := start(b, Config{Agents: 10_000, Hosts: 64})
	urls := make([]string, f.config.Agents)
	for i := range urls {
		urls[i] = f.CardURL(i)
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i = (i + 64) % len(urls) {
			if code, _, _ := get(b, urls[i], `"`+strconv.Itoa(i)+`-0"`); code != http.StatusNotModified {
				b.Error(code)
			}
		}
	})
}

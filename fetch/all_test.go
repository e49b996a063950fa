package fetch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// busy counts the requests that are under way, by host and in all.
type busy struct {
	mu         sync.Mutex
	now, most  map[string]int
	total, top int
}

func (b *busy) enter(host string) (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now[host]++
	b.total++
	b.most[host] = max(b.most[host], b.now[host])
	b.top = max(b.top, b.total)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.now[host]--
		b.total--
	}
}

// public asks for each URL as nobody.
func public(urls []string) []Ask {
	var asks []Ask
	for _, u := range urls {
		asks = append(asks, Ask{URL: u})
	}
	return asks
}

func byURL(outcomes map[Ask]Outcome) map[string]Outcome {
	out := map[string]Outcome{}
	for ask, o := range outcomes {
		out[ask.URL] = o
	}
	return out
}

func TestAll(t *testing.T) {
	b := &busy{now: map[string]int{}, most: map[string]int{}}
	w, c := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		defer b.enter(r.Host)()
		time.Sleep(20 * time.Millisecond)
		if r.URL.Path == "/3" {
			http.NotFound(rw, r)
			return
		}
		answer{body: fmt.Sprintf(`{"name":%q}`, r.URL.Path)}.write(rw)
	})
	var urls []string
	for host := range 4 {
		for path := range 6 {
			urls = append(urls, fmt.Sprintf("https://h%d.example.com/%d", host, path))
		}
	}
	got := byURL(c.All(t.Context(), public(append(urls, urls...)), 5))
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, urls) {
		t.Errorf("outcomes for %v, want %v", keys, urls)
	}
	asked := slices.Sorted(slices.Values(w.urls()))
	if !slices.Equal(asked, urls) {
		t.Errorf("asked for %v, want each URL once", asked)
	}
	for u, o := range got {
		want := fmt.Sprintf(`{"name":%q}`, u[len(u)-2:])
		if u[len(u)-1] == '3' {
			failed(t, o.Err, NotFound, u+" answered 404 Not Found")
		} else if o.Err != nil || string(o.Response.Body) != want {
			t.Errorf("%s = %+v, want the body %s", u, o, want)
		}
	}
	if b.top > 5 {
		t.Errorf("%d requests at once, want 5 at most", b.top)
	}
	for host, most := range b.most {
		if most > perHost(5) {
			t.Errorf("%d requests at once for %s, want %d at most", most, host, perHost(5))
		}
	}
	if b.top < 3 {
		t.Errorf("%d requests at once, want them to overlap", b.top)
	}
	if got := c.All(t.Context(), nil, 0); len(got) != 0 {
		t.Errorf("All of nothing = %v", got)
	}
}

// A host that is slow to answer holds two of three slots, and no more: it waits
// here for the other host's answers, which come through the third.
func TestAllIsFairToOtherHosts(t *testing.T) {
	var fast sync.WaitGroup
	fast.Add(2)
	_, c := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Host == "slow.example.com" {
			fast.Wait()
		} else {
			defer fast.Done()
		}
		answer{body: aCard}.write(rw)
	})
	var urls []string
	for i := range 6 {
		urls = append(urls, fmt.Sprintf("https://slow.example.com/%d", i))
	}
	urls = append(urls, "https://fast.example.com/1", "https://fast.example.com/2")
	for u, o := range byURL(c.All(t.Context(), public(urls), 3)) {
		if o.Err != nil {
			t.Errorf("%s = %v", u, o.Err)
		}
	}
}

func TestAllEndsWithItsContext(t *testing.T) {
	_, c := serve(t, func(rw http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	urls := []string{"https://a.example.com/1", "https://a.example.com/2", "https://a.example.com/3", "://"}
	got := byURL(c.All(ctx, public(urls), 0))
	for _, u := range urls {
		e, ok := errors.AsType[*Error](got[u].Err)
		if !ok || e.State != Unreachable || e.URL != u || got[u].Response != nil {
			t.Errorf("%s = %+v", u, got[u])
		}
	}
	if !errors.Is(got[urls[2]].Err, context.Canceled) {
		t.Errorf("error of the one that waited = %v", got[urls[2]].Err)
	}
}

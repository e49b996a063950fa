package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const wellKnown = "/.well-known/agent-card.json"

type hostKey struct{}

func (f *Fleet) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/stats":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(f.Stats())
		return
	case "/reset":
		if r.Method != http.MethodPost {
			http.Error(w, "want POST", http.StatusMethodNotAllowed)
			return
		}
		f.Reset()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	host := r.Context().Value(hostKey{}).(int)
	i, ok := f.agent(r.URL.Path, host)
	if !ok {
		f.count.unknown.Add(1)
		http.NotFound(w, r)
		return
	}
	end := f.count.start(i, host)
	if f.dead[host] {
		<-r.Context().Done()
		end()
		panic(http.ErrAbortHandler) // close the connection without a word
	}
	f.wait(r, i)
	modified := f.tag(w.Header(), r, i)
	// Before the first byte, since with the last one the client may already ask
	// anew.
	end()
	if !modified {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.write(w, i)
}

// agent is the agent whose card a path of the host names.
func (f *Fleet) agent(path string, host int) (int, bool) {
	id, ok := strings.CutSuffix(path, wellKnown)
	if !ok {
		return 0, false
	}
	id, ok = strings.CutPrefix(id, "/a/")
	i, err := strconv.Atoi(id)
	return i, ok && err == nil && 0 <= i && i < f.config.Agents && i%f.config.Hosts == host
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// wait is as long as agent i makes callers wait, or until this one is gone.
func (f *Fleet) wait(r *http.Request, i int) {
	delay := f.config.Latency
	if f.kinds[i] == slow {
		delay += f.config.SlowBy
	}
	if delay == 0 {
		return
	}
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
	}
}

// tag sets the ETag of agent i, and reports whether r has another or none.
func (f *Fleet) tag(h http.Header, r *http.Request, i int) (modified bool) {
	version := f.version(i)
	if f.kinds[i] == lying {
		version = 0
	}
	etag := `"` + strconv.Itoa(i) + "-" + strconv.Itoa(version) + `"`
	h["Etag"] = []string{etag}
	match := r.Header.Get("If-None-Match")
	if match != "" {
		f.count.conditional.Add(1)
	}
	if match == etag {
		f.count.notModified.Add(1)
	}
	return match != etag
}

func (f *Fleet) write(w http.ResponseWriter, i int) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = f.card.render((*buffer)[:0], f.Base(i), i, f.version(i))
	h := w.Header()
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{strconv.Itoa(len(*buffer))}
	w.Write(*buffer)
}

// version counts the cards that agent i has shown. Agents change at moments of
// their own, spread over DriftEvery.
func (f *Fleet) version(i int) int {
	if k := f.kinds[i]; k != drifting && k != lying {
		return 0
	}
	every := f.config.DriftEvery
	own := every * time.Duration(i) / time.Duration(f.config.Agents)
	return int((time.Since(f.began) + own) / every)
}

// A template is a card, rendered once, with places for what differs.
type template []string // text, place, text, place, …, text

// The places of a template.
const (
	placeBase    = "BASE"
	placeID      = "ID"
	placeVersion = "VERSION"
	placeMark    = "\x00" // around each
)

// newTemplate makes a card of about size bytes.
func newTemplate(size int) template {
	const (
		head = `{
  "name": "Fleet agent %ID%",
  "description": "Prices itineraries, edition %VERSION%.",
  "version": "1.0.%VERSION%",
  "supportedInterfaces": [
    {"url": "%BASE%/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "%BASE%/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
  ],
  "provider": {"organization": "Fleet", "url": "https://fleet.example"},
  "capabilities": {"streaming": true, "pushNotifications": false},
  "defaultInputModes": ["application/json"],
  "defaultOutputModes": ["application/json"],
  "skills": [
    {"id": "quote", "name": "Quote", "description": "Prices one itinerary.", "tags": ["pricing"]}`
		tail = "\n  ]\n}\n"
	)
	var b strings.Builder
	b.WriteString(head)
	for n := 1; b.Len() < size-len(tail); n++ {
		fmt.Fprintf(&b, ",\n"+`    {"id": "skill-%d", "name": "Skill %d", "description": "Answers questions of its own about agent %%ID%%, as one of many.", "tags": ["filler"]}`, n, n)
	}
	b.WriteString(tail)
	text := b.String()
	for _, place := range []string{placeBase, placeID, placeVersion} {
		text = strings.ReplaceAll(text, "%"+place+"%", placeMark+place+placeMark)
	}
	return strings.Split(text, placeMark)
}

func (t template) render(dst []byte, base string, id, version int) []byte {
	for i, text := range t {
		switch {
		case i%2 == 0:
			dst = append(dst, text...)
		case text == placeBase:
			dst = append(dst, base...)
		case text == placeID:
			dst = strconv.AppendInt(dst, int64(id), 10)
		default:
			dst = strconv.AppendInt(dst, int64(version), 10)
		}
	}
	return dst
}

// Package agenttest runs A2A agents for tests and for scripts that need one.
//
// [Start] runs an agent that is built with the official Go SDK and answers
// over JSON-RPC, HTTP+JSON and, if asked, gRPC on loopback. Its card is the
// raw JSON that the test gave it, so that a card can be as odd as real ones
// are, and it can be changed while the agent runs:
//
//	agent := agenttest.Start(t, agenttest.Config{})
//	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`))
//
// The SDK enforces whatever the card of the moment says: the agent above
// refuses to stream from then on. [Agent.SetAnswer] serves the card in any way
// a broken server might, [Shape] gives the cards that other SDKs put on the
// wire, and [Main] is the whole agent as a command for scripts.
package agenttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
)

// WellKnown and Legacy are the paths at which cards are published: since 0.3,
// and before.
const (
	WellKnown = "/.well-known/agent-card.json"
	Legacy    = "/.well-known/agent.json"
)

// Config says what agent to run. The zero value is the travel agent of
// [TravelCard] on a free port, without gRPC.
type Config struct {
	// Card makes the first card from the agent's base URL; nil means
	// [TravelCard].
	Card func(base string) []byte
	// CardPath is where the card is served; empty means [WellKnown].
	CardPath string
	// GRPC serves gRPC too, and lists it last in the card, when the card has a
	// list of interfaces.
	GRPC bool
	// Addr is the address to listen on; empty means 127.0.0.1:0.
	Addr string
}

// An Agent is a running agent. Its methods are safe for concurrent use.
type Agent struct {
	path string // of the card
	base string
	grpc string // host:port, or ""
	live *live  // what answers calls, by the flags of the card

	http *http.Server
	rpc  *grpc.Server
	done sync.WaitGroup

	mu       sync.Mutex
	card     []byte
	answer   Answer
	requests []Request
}

// An Answer changes how the agent's card is served. The zero value serves it
// as it is, with 200 and application/json.
type Answer struct {
	Status int           // 0: 200
	Delay  time.Duration // waited before the first byte
	Header http.Header   // set over the agent's own
	// ETag is sent as it is; a request with the same If-None-Match is answered
	// 304.
	ETag string
	// Body is sent in place of the card; nil means the card.
	Body []byte
}

// A Request is one HTTP request that the agent received; those of its control
// paths are not recorded.
type Request struct {
	Method string      `json:"method"`
	Path   string      `json:"path"` // with the query
	Header http.Header `json:"header"`
}

// Start runs an agent until t ends.
func Start(t testing.TB, c Config) *Agent {
	t.Helper()
	a, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("closing the agent: %v", err)
		}
	})
	return a
}

// Listen runs an agent until [Agent.Close]; it is [Start] for those who have
// no test at hand.
func Listen(c Config) (*Agent, error) {
	lis, err := net.Listen("tcp", cmp.Or(c.Addr, "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		path: cmp.Or(c.CardPath, WellKnown),
		base: "http://" + lis.Addr().String(),
		live: newLive(),
	}
	if c.GRPC {
		if err := a.serveGRPC(); err != nil {
			return nil, errors.Join(err, lis.Close())
		}
	}
	a.SetCard(a.firstCard(c))
	a.http = &http.Server{Handler: a.handler()}
	a.done.Go(func() { a.http.Serve(lis) }) // ends with http.ErrServerClosed
	return a, nil
}

func (a *Agent) firstCard(c Config) []byte {
	if c.Card == nil {
		c.Card = TravelCard
	}
	card := c.Card(a.base)
	if a.grpc == "" {
		return card
	}
	return AddInterface(card, a.grpc, string(a2a.TransportProtocolGRPC))
}

func (a *Agent) serveGRPC() error {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	a.grpc = lis.Addr().String()
	a.rpc = grpc.NewServer()
	a2agrpc.NewHandler(a.live).RegisterWith(a.rpc)
	a.done.Go(func() { a.rpc.Serve(lis) }) // ends with grpc.ErrServerStopped
	return nil
}

func (a *Agent) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(a.live))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(a.live)))
	mux.HandleFunc(a.path, a.serveCard)

	root := http.NewServeMux()
	root.Handle("/control/", a.control())
	root.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.record(r)
		mux.ServeHTTP(w, r)
	})
	return root
}

func (a *Agent) record(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, Request{r.Method, r.URL.RequestURI(), r.Header.Clone()})
}

func (a *Agent) serveCard(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	answer, body := a.answer, a.card
	a.mu.Unlock()
	if answer.Body != nil {
		body = answer.Body
	}
	answer.serve(w, r, body)
}

// serve writes the answer. The card stays whatever the status: a server that
// fails does not always send an empty body.
func (n Answer) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	select {
	case <-time.After(n.Delay):
	case <-r.Context().Done():
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if n.ETag != "" {
		h.Set("ETag", n.ETag)
	}
	for name, values := range n.Header {
		h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	status := n.Status
	if status == 0 {
		status = http.StatusOK
	}
	if n.ETag != "" && status == http.StatusOK && r.Header.Get("If-None-Match") == n.ETag {
		status = http.StatusNotModified
	}
	w.WriteHeader(status)
	if status != http.StatusNotModified && status != http.StatusNoContent {
		w.Write(body)
	}
}

// URL is the agent's base URL, without a slash at its end.
func (a *Agent) URL() string { return a.base }

// CardURL is the exact URL of the agent's card.
func (a *Agent) CardURL() string { return a.base + a.path }

// GRPCAddr is host:port of the gRPC server, "" without one.
func (a *Agent) GRPCAddr() string { return a.grpc }

// Card is a copy of the card as it is served now.
func (a *Agent) Card() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.Clone(a.card)
}

// SetCard replaces the card, from the next request on, and the behaviour that
// its capabilities promise. The bytes may be anything; capabilities that
// cannot be read promise nothing.
func (a *Agent) SetCard(raw []byte) {
	a.live.enforce(capabilitiesOf(raw))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.card = bytes.Clone(raw)
}

// SetAnswer changes how the card is served from the next request on.
func (a *Agent) SetAnswer(n Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = n
}

// Requests are the HTTP requests received so far, in order.
func (a *Agent) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// Close stops the agent at once; calls under way are cut off.
func (a *Agent) Close() error {
	err := a.http.Close()
	if a.rpc != nil {
		a.rpc.Stop()
	}
	a.done.Wait()
	return err
}

func capabilitiesOf(raw []byte) a2a.AgentCapabilities {
	var card struct {
		Capabilities a2a.AgentCapabilities `json:"capabilities"`
	}
	if err := json.Unmarshal(raw, &card); err != nil {
		return a2a.AgentCapabilities{}
	}
	return card.Capabilities
}

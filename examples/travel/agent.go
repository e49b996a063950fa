package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/a2alock/a2alock/testdata"
)

// origin is where the recorded cards say that the agent lives; the story moves
// them to loopback.
const origin = "https://pricing.partner.example"

// An agent publishes one of the recorded cards on loopback.
type agent struct {
	url    string
	card   atomic.Pointer[[]byte]
	server *http.Server
}

func startAgent() (*agent, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &agent{url: "http://" + lis.Addr().String()}
	a.release("pricing-1.json")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(*a.card.Load())
	})
	a.server = &http.Server{Handler: mux}
	go a.server.Serve(lis)
	return a, nil
}

// release publishes another recorded card.
func (a *agent) release(name string) {
	card := bytes.ReplaceAll(testdata.Card(name), []byte(origin), []byte(a.url))
	a.card.Store(&card)
}

func (a *agent) close() { a.server.Shutdown(context.Background()) }

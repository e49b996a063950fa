package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

// A call to an address that nobody allowed is not sent.
func ExampleClient_Call() {
	var c rpc.Client
	_, err := c.Call(context.Background(), rpc.Target{
		URL: "https://10.0.0.4/a2a", Binding: "JSONRPC", Version: "1.0",
		Credential: func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer …")
			return nil
		},
	}, rpc.Call{Operation: rpc.GetExtendedAgentCard})
	if e, ok := errors.AsType[*rpc.Error](err); ok && e.Reason == rpc.ExtendedAgentCardNotConfigured {
		fmt.Println("there is no such card")
	}
	if r, ok := errors.AsType[*netguard.Refused](err); ok {
		fmt.Println("refused:", r.Kind, r.Host)
	}
	// Output: refused: address 10.0.0.4
}

package card_test

import (
	"fmt"

	"github.com/a2alock/a2alock/card"
)

func ExampleParse() {
	c, err := card.Parse([]byte(`{
		"name": "Quotes", "description": "Prices journeys.", "version": "3.2.0",
		"supportedInterfaces": [{"url": "https://a.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
		"capabilities": {"streaming": true},
		"default_input_modes": ["application/json"], "defaultOutputModes": ["application/json"],
		"skills": [{"id": "quote", "name": "Quote", "description": "Prices one journey."}, {"name": "Refund"}]
	}`), card.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Shape, c.Interfaces[0].Version, c.Capabilities.Streaming, c.Err())
	for _, f := range c.Findings {
		fmt.Println(f.Severity, f.Path, f.Message)
	}
	// Output:
	// 1.0 1.0 true <nil>
	// warning /default_input_modes default_input_modes is spelled defaultInputModes in JSON (A2A 5.5)
	// gap /skills/0/tags tags: missing
	// error /skills/1/id id: missing
	// gap /skills/1/description description: missing
	// gap /skills/1/tags tags: missing
}

func ExampleParse_refused() {
	_, err := card.Parse([]byte("<!DOCTYPE html><title>Sign in</title>"), card.Options{})
	fmt.Println(err)
	_, err = card.Parse([]byte(`{"name": "Quotes", "name": "Refunds"}`), card.Options{})
	fmt.Println(err)
	// Output:
	// not-json: an HTML page
	// card-invalid: /name: a repeated member
}

package agenttest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

//go:embed shapes/travel.json
var travel string

// placeholder stands for the agent's base URL in the files of shapes/.
const placeholder = "http://agent.test"

// TravelCard is a 1.0 card as the specification has it: of an agent at base
// that prices itineraries. It has two skills: "itinerary-pricing" takes and
// gives JSON, "fare-rules" has modes and security of its own.
func TravelCard(base string) []byte { return at(travel, base) }

func at(card, base string) []byte {
	return []byte(strings.ReplaceAll(card, placeholder, strings.TrimSuffix(base, "/")))
}

// Merge lays patch over card as RFC 7396 says: objects are merged, null takes a
// member away, all else replaces. It panics when either is no JSON, since both
// are the test's own.
func Merge(card []byte, patch string) []byte {
	return encode(merge(decode(card), decode([]byte(patch))))
}

// AddInterface appends an interface of protocol 1.0 to the card's
// supportedInterfaces, which are made if they are missing.
func AddInterface(card []byte, url, binding string) []byte {
	c, ok := decode(card).(map[string]any)
	if !ok {
		return card
	}
	list, _ := c["supportedInterfaces"].([]any)
	c["supportedInterfaces"] = append(list, map[string]any{
		"url": url, "protocolBinding": binding, "protocolVersion": "1.0",
	})
	return encode(c)
}

func merge(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	merged := map[string]any{}
	if t, ok := target.(map[string]any); ok {
		maps.Copy(merged, t)
	}
	for name, value := range p {
		if value == nil {
			delete(merged, name)
			continue
		}
		merged[name] = merge(merged[name], value)
	}
	return merged
}

func decode(data []byte) any {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("agenttest: %v in %.200q", err, data))
	}
	return v
}

func encode(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("agenttest: %v", err))
	}
	return append(data, '\n')
}

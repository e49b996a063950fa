// Package testdata holds the recorded cards that the story, the README and the
// tests share.
package testdata

import "embed"

//go:embed cards
var cards embed.FS

// Card returns the card in the file cards/name. It panics when there is none,
// since the names are the caller's own.
func Card(name string) []byte {
	data, err := cards.ReadFile("cards/" + name)
	if err != nil {
		panic(err)
	}
	return data
}

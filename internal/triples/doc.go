// Package triples judges the hand-written triples of testdata/triples: an old
// card, a new one and a lock, with every finding that the change must have. It
// is made of tests alone.
package triples

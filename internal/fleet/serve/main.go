// Command serve is a fleet of agents on loopback to measure a2alockd with; see
// package fleet.
package main

import "github.com/a2alock/a2alock/internal/fleet"

func main() { fleet.Main() }

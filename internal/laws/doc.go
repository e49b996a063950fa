// Package laws holds the product to its laws, with cards, clients and locks
// drawn at random: what must never change a verdict, what must never be
// breaking, and that a verdict is what a simulated agent and client then meet.
// It is made of tests alone.
package laws

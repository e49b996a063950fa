//go:build race

package main

func init() { slow = true }

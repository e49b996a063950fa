//go:build !unix

package lockfile_test

// writeOverLimit needs limits on the size of files.
func writeOverLimit(string) int { return 2 }

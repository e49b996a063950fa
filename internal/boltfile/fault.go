package boltfile

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// PanicOnFault lets a page that cannot be read panic in this goroutine, where
// the program would end otherwise, until the function that it returns is called.
// [Catch] turns the panic into an error.
func PanicOnFault() func() {
	old := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(old) }
}

// Catch is to be deferred: it sets *err to a [*DamageError] where a page of the
// file at path could not be read. All other panics go on.
func Catch(path string, err *error) {
	switch p := recover().(type) {
	case nil:
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		*err = &DamageError{Path: path, Reason: fmt.Sprintf("a page of it cannot be read (%v)", p)}
	default:
		panic(p)
	}
}

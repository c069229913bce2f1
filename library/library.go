// Package library loads shared libraries at run time, so that the same executable runs with
// and without them. It is independent of what the libraries do.
package library

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/ebitengine/purego"
)

// Library is a shared library of the process. It is never unloaded.
type Library struct {
	name   string
	handle uintptr
}

// Scope says who sees the symbols of a library.
type Scope int

const (
	Local  Scope = purego.RTLD_LOCAL  // those who look them up
	Global Scope = purego.RTLD_GLOBAL // the libraries that are loaded later too
)

// Open loads a library and binds all its symbols. The name is a path, or that of a file
// which the dynamic loader finds. An error has the message of the loader.
func Open(name string, scope Scope) (Library, error) {
	runtime.LockOSThread() // the loader keeps the message of a failure for the thread
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|int(scope))
	return Library{name, handle}, err
}

// Address returns the address of a symbol, 0 if the library has none of this name.
func (l Library) Address(symbol string) uintptr {
	address, err := purego.Dlsym(l.handle, symbol)
	if err != nil {
		return 0
	}
	return address
}

// Bind sets each field of a struct, to which functions points, to the function of the library
// that the field's tag `symbol` names. A field is a Function, or a Go function with the
// parameters and the result of the C function as purego.RegisterFunc translates them: it costs
// up to a microsecond more. An error names the first symbol that the library does not have.
func (l Library) Bind(functions any) error {
	table := reflect.ValueOf(functions).Elem()
	for i := range table.NumField() {
		symbol := table.Type().Field(i).Tag.Get("symbol")
		address := l.Address(symbol)
		if address == 0 {
			return fmt.Errorf("%s has no %s", l.name, symbol)
		}
		if f, is := table.Field(i).Addr().Interface().(*Function); is {
			*f = Function(address)
		} else {
			purego.RegisterFunc(table.Field(i).Addr().Interface(), address)
		}
	}
	return nil
}

// Function is the address of a C function.
type Function uintptr

// Call calls the function with integers and pointers, and returns its result, of which an int
// is the lower half. A pointer to memory of Go is converted in the list of the arguments, or
// the memory is not on a stack; it stays where it is until the end of the call.
//
//go:uintptrescapes
func (f Function) Call(arguments ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(uintptr(f), arguments...)
	return result
}

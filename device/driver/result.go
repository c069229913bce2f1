//go:build cuda

package driver

// #include <stdlib.h>
// int cuGetErrorName(int, const char **);
// int cuGetErrorString(int, const char **);
import "C"

import (
	"fmt"
	"reflect"
)

// Result is a return code of the driver (CUresult). 0 means success and is never
// returned as an error.
type Result int

const noDevice Result = 100

// Name returns the name of the code, such as CUDA_ERROR_NO_DEVICE, or CUDA_ERROR if
// the driver does not know the code.
func (r Result) Name() string {
	var text *C.char
	if C.cuGetErrorName(C.int(r), &text) != 0 || text == nil {
		return "CUDA_ERROR"
	}
	return C.GoString(text)
}

// Text returns the driver's description of the code, or "" if there is none.
func (r Result) Text() string {
	var text *C.char
	if C.cuGetErrorString(C.int(r), &text) != 0 || text == nil {
		return ""
	}
	return C.GoString(text)
}

func (r Result) Error() string {
	message := fmt.Sprintf("%s (%d)", r.Name(), int(r))
	if text := r.Text(); text != "" {
		message += ", " + text
	}
	return message
}

// Code returns the driver's return code in an error of gorgonia.org/cu or of this
// package, or 999 (unknown) for any other error.
func Code(err error) Result {
	// gorgonia.org/cu does not export its error type, whose underlying type is int.
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return Result(v.Int())
	}
	return 999
}

// check returns a non-zero return code as an error.
func check(code C.int) error {
	if code != 0 {
		return Result(code)
	}
	return nil
}

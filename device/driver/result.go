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

// Result is a return code of the driver, CUresult. 0 is success and never
// returned as an error.
type Result int

const noDevice Result = 100

// Name returns the code's name, such as CUDA_ERROR_NO_DEVICE.
func (r Result) Name() string {
	var text *C.char
	if C.cuGetErrorName(C.int(r), &text) != 0 || text == nil {
		return "CUDA_ERROR"
	}
	return C.GoString(text)
}

// Text returns the driver's sentence about the code, or nothing.
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

// Code returns the driver's return code that err of gorgonia.org/cu or of this
// package is, 999 (unknown) if it is none.
func Code(err error) Result {
	// The error type of gorgonia.org/cu is an int without a name outside.
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return Result(v.Int())
	}
	return 999
}

// check makes an error of a return code that is not success.
func check(code C.int) error {
	if code != 0 {
		return Result(code)
	}
	return nil
}

// Package vector says which form of the code with vector instructions runs. Such code has a
// form in plain Go and, on amd64, forms for AVX2 and for AVX-512; all compute the same. It knows
// nothing of what they compute.
package vector

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Form is a form of the code, in rising order of what the processor must have.
type Form uint8

const (
	Plain  Form = iota // Go
	AVX2               // x86-64-v3: AVX2, BMI1, BMI2, POPCNT
	AVX512             // x86-64-v4: also AVX-512 F, BW, CD, DQ, VL
)

// Variable names the environment variable that can choose a lesser form than the processor's.
const Variable = "GRAPH500_SIMD"

var names = [...]string{Plain: "plain", AVX2: "avx2", AVX512: "avx512"}

// String returns the form's name, a value of Variable.
func (f Form) String() string { return names[f] }

// Forms returns all forms that this processor and this build have, from Plain on.
func Forms() []Form {
	return []Form{Plain, AVX2, AVX512}[:supported()+1]
}

// Chosen returns the form to run: that of Variable, else the last of Forms.
var Chosen = sync.OnceValue(func() Form {
	f, err := choose(os.LookupEnv, supported())
	if err != nil {
		return supported() // Check reports the error
	}
	return f
})

// Check returns an error if Variable names no form, or one that the processor or the build lacks.
func Check() error {
	_, err := choose(os.LookupEnv, supported())
	return err
}

// choose returns the form of the variable, of at most the given one.
func choose(lookup func(string) (string, bool), most Form) (Form, error) {
	name, set := lookup(Variable)
	if !set || name == "" {
		return most, nil
	}
	for f := range Form(len(names)) {
		switch {
		case names[f] != name:
		case f > most:
			return 0, fmt.Errorf("%s=%s: this processor or this build has no form above %s", Variable, name, most)
		default:
			return f, nil
		}
	}
	return 0, fmt.Errorf("%s=%s is not one of %s", Variable, name, strings.Join(names[:], ", "))
}

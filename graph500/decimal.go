package main

import (
	"fmt"
	"strconv"
	"strings"
)

// decimal is a flag value, a number in decimal digits. It has no underscores or
// hexadecimal digits, which numbers in Go can have.
type decimal float64

// UnmarshalFlag parses the value of a flag.
func (d *decimal) UnmarshalFlag(value string) error {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || strings.ContainsAny(value, "_xX") {
		return fmt.Errorf("%q is not a number", value)
	}
	*d = decimal(number)
	return nil
}

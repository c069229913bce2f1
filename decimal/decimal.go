// Package decimal reads numbers as flags and files of people have them. It does not know what a
// number counts.
package decimal

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a number in decimal digits, with or without a point and an exponent. Underscores
// between digits and hexadecimal digits, which numbers in Go can have, are errors.
func Parse(text string) (float64, error) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "_xX") {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return number, nil
}

package commandline

import "graph500/decimal"

// Decimal is a flag value, a number in decimal digits. It has no underscores or
// hexadecimal digits, which numbers in Go can have.
type Decimal float64

// UnmarshalFlag parses the value of a flag.
func (d *Decimal) UnmarshalFlag(value string) error {
	number, err := decimal.Parse(value)
	*d = Decimal(number)
	return err
}

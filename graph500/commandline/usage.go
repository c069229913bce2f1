package commandline

import "fmt"

// usageError is an error in the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// ExitStatus is that of a wrong command line.
func (e usageError) ExitStatus() int { return 2 }

func Usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

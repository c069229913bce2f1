package run

import (
	"os"
	"time"

	"graph500/cluster"
)

// Process is what the work of the program has of its process.
type Process struct {
	World          *cluster.World
	Started        time.Time
	Args           []string                    // the command line, with the name of the program
	Lookup         func(string) (string, bool) // finds a variable of the environment
	Stdout, Stderr *os.File
	Commit         string // of the program

	limiter *limiter // of -timeout and -search-timeout; nil without them
}

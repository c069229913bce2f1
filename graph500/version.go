package main

import (
	"cmp"
	"fmt"

	"graph500/gpu"
	"graph500/report"
)

// commit is set by the linker: -ldflags "-X main.commit=...".
var commit string

// versionLine returns the line of -version.
func versionLine() string {
	p := report.ThisProgram(commit)
	name := "graph500"
	if p.Version != "" && p.Version != "(devel)" { // Go's name for a build from a directory
		name += " " + p.Version
	}
	return fmt.Sprintf("%s, commit %s, %s, %s, %s", name, cmp.Or(p.Commit, "unknown"), p.GoVersion, report.ThisMachine().OS, gpu.Build())
}

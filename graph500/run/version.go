package run

import (
	"cmp"
	"fmt"

	"graph500/gpu"
	"graph500/report"
)

// VersionLine returns the line of -version for a program of that commit.
func VersionLine(commit string) string {
	p := report.ThisProgram(commit)
	name := "graph500"
	if p.Version != "" && p.Version != "(devel)" { // Go's name for a build from a directory
		name += " " + p.Version
	}
	return fmt.Sprintf("%s, commit %s, %s, %s, %s", name, cmp.Or(p.Commit, "unknown"), p.GoVersion, report.ThisMachine().OS, gpu.Build())
}

package main

import (
	"cmp"
	"fmt"

	"graph500/report"
)

// commit is set by the linker: -ldflags "-X main.commit=...".
var commit string

// versionLine is what -version prints.
func versionLine() string {
	var r report.Run
	report.Machine(&r, commit)
	name := "graph500"
	if r.Version != "" && r.Version != "(devel)" { // what Go calls a build from a directory
		name += " " + r.Version
	}
	return fmt.Sprintf("%s, commit %s, %s, %s", name, cmp.Or(r.Commit, "unknown"), r.GoVersion, r.OS)
}

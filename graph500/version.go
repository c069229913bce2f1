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
	return fmt.Sprintf("graph500 %s, commit %s, %s, %s", r.Version, cmp.Or(r.Commit, "unknown"), r.GoVersion, r.OS)
}

package main

import (
	"path/filepath"
	"testing"

	"graph500/graph500/programtest"
	"graph500/report"
)

func TestTimeoutOfTheProgram(t *testing.T) {
	dir := t.TempDir()
	r := programtest.Run(t, dir, nil, "-engine=cpu", "-scale=20", "-timeout=200ms", "-out=out")
	programtest.Refused(t, r, 124, "stopped after 200ms (-timeout), in phase ")
	if _, err := report.ReadResult(filepath.Join(dir, "out")); err == nil {
		t.Error("there is a result")
	}
	programtest.Succeed(t, dir, "-engine=cpu", "-scale=6", "-timeout=10m")
	programtest.Refused(t, programtest.Run(t, dir, nil, "-timeout=0"), 2, "flag -timeout: ")
}

package commands_test

import (
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

func TestTextCommands(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"manual", "completion"} {
		if r := programtest.Succeed(t, dir, name, "-help"); r != programtest.Succeed(t, dir, "help", name) || !strings.HasPrefix(r.Stdout, "Prints ") {
			t.Error(r)
		}
	}
	for args, want := range map[string]string{
		"manual bash":          `the arguments of manual are "", and not "bash"`,
		"completion":           `the arguments of completion are "bash|zsh|fish", and not ""`,
		"completion csh":       `the arguments of completion are "bash|zsh|fish", and not "csh"`,
		"completion bash fish": `the arguments of completion are "bash|zsh|fish", and not "bash fish"`,
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, strings.Fields(args)...), 2, want)
	}
}

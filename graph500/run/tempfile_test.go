package run

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/graph500/testinput"
)

// engineWithHook is an engine that calls a function of the test in Prepare.
type engineWithHook struct {
	Engine
	onPrepare func()
}

func (e engineWithHook) Prepare(ctx context.Context, plans []engine.Plan, progress func(done, total int64)) error {
	e.onPrepare()
	return e.Engine.Prepare(ctx, plans, progress)
}

// A run that fails does not remove files that it did not create.
func TestTemporaryEdgeFileOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "edges")
	b, _ := newTestBench(t, new(fakeEngine), "-scale=5")
	b.TempFile = path
	b.engine = engineWithHook{b.engine, func() { testinput.Write(t, dir, "edges", "from somebody else") }}
	if _, err := b.run(t.Context(), b.benchmark); err == nil || !strings.Contains(err.Error(), "edges is there already") {
		t.Error(err)
	}
	if testinput.Read(t, path) != "from somebody else" {
		t.Error("the file is changed")
	}
}

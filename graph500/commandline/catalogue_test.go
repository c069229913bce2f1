package commandline

import (
	"strings"
	"testing"

	"graph500/engine"
	"graph500/graph500/testinput"
)

func TestStrategyOfAnotherEngine(t *testing.T) {
	c := NewCatalogue()
	check := func(engineName, name string) error { return c.Check(engineName, engine.BFS, name) }
	if err := check("cpu", "default"); err != nil {
		t.Error(err)
	}
	err := check("cpu", "pul")
	if want := `the cpu engine has no strategy "pul" for bfs, the nearest is pull; all are push, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if err := check("cpu", "foo"); err == nil || !strings.HasPrefix(err.Error(), `the cpu engine has no strategy "foo" for bfs; all are push, `) {
		t.Error(err)
	}
	err = c.Check("cpu", engine.SSSP, "privatized") // which only the GPU engine has
	if want := "privatized is a strategy of bfs, not of sssp, which has "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if len(c["gpu"]) == 0 { // another build
		want := "privatized needs the GPU engine, which this program was built without"
		if err := check("cpu", "privatized"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
		for name, want := range map[string]string{"privatized": want, "privatised": `there is no "privatised" for bfs`} {
			if _, err := ParseFlags(testinput.CommandLine([]string{"-strategy=" + name}), testinput.Environment(), c); err == nil || !strings.HasPrefix(err.Error(), "flag -strategy: "+want) {
				t.Error(err)
			}
		}
		return
	}
	err = check("cpu", "spmv")
	if want := "spmv of bfs runs on the gpu engine only (-engine=gpu), the cpu engine has push, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	for _, k := range engine.Kernels() {
		for _, name := range c.names("gpu", k) {
			if err := c.Check("gpu", k, name); err != nil {
				t.Error(err)
			}
		}
	}
	err = check("gpu", "asynchronous")
	if want := "asynchronous of bfs runs on the cpu engine only (-engine=cpu), the gpu engine has push, "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if err := check("gpu", "spvm"); err == nil || !strings.HasPrefix(err.Error(), `the gpu engine has no strategy "spvm" for bfs, the nearest is spmv; `) {
		t.Error(err)
	}
}

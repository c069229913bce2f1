package report

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestBenchstat(t *testing.T) {
	r := fullRun()
	r.Processor = " Some\tCPU\n2.0 GHz " // must not break the line
	r.Commit = ""
	var out bytes.Buffer
	if err := Benchstat(&out, r); err != nil {
		t.Fatal(err)
	}
	in := benchfmt.NewReader(bytes.NewReader(out.Bytes()), "result.bench")
	n := 0
	for in.Scan() {
		var res *benchfmt.Result
		switch rec := in.Result().(type) {
		case *benchfmt.Result:
			res = rec
		case *benchfmt.UnitMetadata:
			continue
		default:
			t.Fatalf("%v", rec)
		}
		s := r.Searches[n]
		n++
		if string(res.Name) != "BFS/scale=4/engine=cpu" || res.Iters != 1 {
			t.Errorf("%s %d", res.Name, res.Iters)
		}
		if v, ok := res.Value("sec/op"); !ok || v != s.Seconds {
			t.Errorf("sec/op %g, want %g", v, s.Seconds)
		}
		if v, ok := res.Value("TEPS"); !ok || v != s.TEPS() {
			t.Errorf("TEPS %g, want %g", v, s.TEPS())
		}
		for key, want := range map[string]string{
			"goos": runtime.GOOS, "goarch": runtime.GOARCH, "cpu": "Some CPU 2.0 GHz", "hardware": "2 sockets",
			"commit": "", "strategy": "direction", "threads": "47", "source": "kronecker", "edgefactor": "3",
			"label-bits": "32", "conforming": "false",
		} {
			if got := res.GetConfig(key); got != want {
				t.Errorf("%s: got %q, want %q", key, got, want)
			}
		}
	}
	if err := in.Err(); err != nil || n != len(r.Searches) {
		t.Errorf("%d searches, %v", n, err)
	}
	if unit := in.Units().Get("TEPS", "better"); unit == nil || unit.Value != "higher" {
		t.Errorf("TEPS: %v", unit)
	}
	if !strings.Contains(out.String(), "\nBenchmarkBFS/scale=4/engine=cpu 1 0.5 sec/op 80 TEPS\n") {
		t.Errorf("line of the first search missing:\n%s", out.String())
	}
}

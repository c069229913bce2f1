package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

// readBlock reads the input of an expected block.
func readBlock(t *testing.T, path string) *Run {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type search struct {
		Seconds, Validate float64
		Nedge             int64
	}
	var in struct {
		Scale, EdgeFactor        int
		Generation, Construction float64
		Validated                bool
		Searches                 []search // of BFS
		SSSP                     []search
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	r := new(Run)
	r.Input = Input{Scale: in.Scale, EdgeFactor: float64(in.EdgeFactor)}
	r.Generation, r.Construction = in.Generation, in.Construction
	add := func(kernel engine.Kernel, searches []search) {
		k := KernelRun{Kernel: kernel}
		for _, s := range searches {
			search := Search{Seconds: s.Seconds, Tree: Tree{Edges: s.Nedge}}
			if in.Validated {
				search.ValidateSeconds = &s.Validate
			}
			k.Searches = append(k.Searches, search)
		}
		if len(searches) > 0 {
			r.Kernels = append(r.Kernels, k)
		}
	}
	add(engine.BFS, in.Searches)
	add(engine.SSSP, in.SSSP)
	return r
}

func TestOfficialBlocks(t *testing.T) {
	inputs, err := filepath.Glob("testdata/blocks/*.json")
	if err != nil || len(inputs) < 10 {
		t.Fatalf("%d blocks, %v", len(inputs), err)
	}
	for _, path := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, string(want), func(w io.Writer) error { return Official(w, readBlock(t, path)) })
		})
	}
}

func TestNumberAgainstC(t *testing.T) {
	f, err := os.Open("testdata/printf.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		word := strings.Fields(lines.Text())
		bits, err := strconv.ParseUint(word[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		v := math.Float64frombits(bits)
		if got := number(v, 6); got != word[1] {
			t.Errorf("%%g of %s: got %s, C prints %s", strconv.FormatFloat(v, 'g', -1, 64), got, word[1])
		}
		if got := number(v, 11); got != word[2] {
			t.Errorf("%%.11g of %s: got %s, C prints %s", strconv.FormatFloat(v, 'g', -1, 64), got, word[2])
		}
		n++
	}
	if err := lines.Err(); err != nil || n < 1000 {
		t.Fatalf("%d values, %v", n, err)
	}
}

func TestFormatsRefuseARunWithoutSearches(t *testing.T) {
	for _, f := range Formats() {
		var out bytes.Buffer
		for _, r := range []*Run{{}, {Kernels: []KernelRun{fullRun().Kernels[0], {Kernel: engine.SSSP}}}} {
			if err := f.Write(&out, r); err == nil || out.Len() != 0 {
				t.Errorf("%s: error %v, %d bytes written", f.Name, err, out.Len())
			}
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsAreReturned(t *testing.T) {
	r := fullRun()
	for _, f := range Formats() {
		if err := f.Write(brokenWriter{}, r); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	for name, err := range map[string]error{
		"Phases":   Phases(brokenWriter{}, r),
		"Levels":   Levels(brokenWriter{}, engine.BFS, r.Kernels[0].Searches[0], nil),
		"Headline": Headline(brokenWriter{}, r),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFormatNames(t *testing.T) {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name+" "+f.File)
	}
	want := []string{"official result.txt", "json result.json", "csv result.csv", "benchstat result.bench"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

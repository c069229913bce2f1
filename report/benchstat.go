package report

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Benchstat writes one Go benchmark line a search, for golang.org/x/perf. What
// distinguishes runs stands in the configuration lines, so two runs share a
// table with "benchstat -col commit", "-col strategy" and so on.
func Benchstat(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var config []benchfmt.Config
	for _, c := range [][2]string{
		{"goos", runtime.GOOS},
		{"goarch", runtime.GOARCH},
		{"cpu", r.Processor},
		{"hardware", r.Hardware},
		{"commit", r.Commit},
		{"strategy", r.Strategy},
		{"threads", strconv.Itoa(r.Threads)},
		{"source", r.Source},
		{"edgefactor", strconv.Itoa(r.EdgeFactor)},
		{"label-bits", strconv.Itoa(r.LabelBits)},
		{"conforming", strconv.FormatBool(len(r.NotConforming) == 0)},
	} {
		value := strings.Join(strings.Fields(c[1]), " ")
		if value != "" { // an empty value would delete the key
			config = append(config, benchfmt.Config{Key: c[0], Value: []byte(value), File: true})
		}
	}
	out := benchfmt.NewWriter(w)
	if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "TEPS", Key: "better"}, OrigUnit: "TEPS", Value: "higher"}); err != nil {
		return err
	}
	name := fmt.Appendf(nil, "BFS/scale=%d/engine=%s", r.Scale, r.Engine)
	for _, s := range r.Searches {
		if err := out.Write(&benchfmt.Result{
			Config: config,
			Name:   name,
			Iters:  1,
			Values: []benchfmt.Value{{Value: s.Seconds, Unit: "sec/op"}, {Value: s.TEPS(), Unit: "TEPS"}},
		}); err != nil {
			return err
		}
	}
	return nil
}

package report

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Benchstat writes one Go benchmark line for each search, and one for the energy of a
// kernel's searches if it was measured, in the format of golang.org/x/perf. benchstat compares results with equal configuration and equal
// name. The configuration therefore contains graph and machine, the name kernel, engine
// and strategy. Values that can differ between two commits are comments, which benchstat
// ignores, so that "benchstat old.bench new.bench" compares two commits.
func Benchstat(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var text bytes.Buffer
	for _, c := range r.comments() {
		fmt.Fprintf(&text, "# %s: %s\n", c[0], oneLine(c[1]))
	}
	out := benchfmt.NewWriter(&text)
	for _, unit := range r.higherIsBetter() {
		if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: "higher"}); err != nil {
			return err
		}
	}
	config := r.configuration()
	for i := range r.Kernels {
		k := &r.Kernels[i]
		name := fmt.Appendf(nil, "%s/scale=%d/engine=%s/strategy=%s", k.Kernel.Title(), r.Input.Scale, r.Engine.Name, k.Strategy)
		if k.Delta != 0 {
			name = append(name, "/delta="+single(k.Delta)...)
		}
		for _, s := range k.Searches {
			if err := out.Write(&benchfmt.Result{
				Config: config,
				Name:   name,
				Iters:  1,
				Values: []benchfmt.Value{{Value: s.Seconds, Unit: "sec/op"}, {Value: s.TEPS(), Unit: "TEPS"}},
			}); err != nil {
				return err
			}
		}
		if values, searches := k.energyValues(); len(values) > 0 {
			if err := out.Write(&benchfmt.Result{Config: config, Name: name, Iters: searches, Values: values}); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// higherIsBetter lists the units of which more is better: those of rates.
func (r *Run) higherIsBetter() []string {
	units := []string{"TEPS"}
	for _, p := range measuredParts() {
		if slices.ContainsFunc(r.Kernels, func(k KernelRun) bool { return k.energyOf(p.part) != nil }) {
			units = append(units, p.name+"-MTEPS/W")
		}
	}
	return units
}

// energyValues returns the energy of the kernel's searches and the number of these. It is
// measured over all of them, so they share one line.
func (k *KernelRun) energyValues() (values []benchfmt.Value, searches int) {
	for _, p := range measuredParts() {
		if e := k.energyOf(p.part); e != nil {
			searches = int(e.Searches)
			values = append(values,
				benchfmt.Value{Value: e.JoulesPerSearch(), Unit: p.name + "-J/search"},
				benchfmt.Value{Value: e.MTEPSPerWatt(), Unit: p.name + "-MTEPS/W"})
		}
	}
	return values, searches
}

// comments lists names and values that can differ between two commits.
func (r *Run) comments() [][2]string {
	return [][2]string{
		{"version", r.Program.Version},
		{"commit", r.Program.Commit},
		{"go-version", r.Program.GoVersion},
		{"started", r.Started.Format("2006-01-02T15:04:05Z07:00")},
		{"host", r.Machine.Host},
		{"hardware", r.Engine.Hardware},
		{"label-bits", strconv.Itoa(r.Engine.LabelBits)},
		{"conforming", strconv.FormatBool(r.Conforming())},
		{"not-conforming", strings.Join(r.NotConforming, "; ")},
		{"validated", strconv.FormatBool(r.Validated())},
	}
}

// configuration lists the keys whose values are equal in comparable results.
func (r *Run) configuration() (config []benchfmt.Config) {
	device := ""
	if r.Device != nil {
		device = r.Device.Name
	}
	if n := r.GPUs(); n > 1 {
		device = fmt.Sprintf("%d x %s", n, device)
	}
	for _, c := range [][2]string{
		{"goos", runtime.GOOS},
		{"goarch", runtime.GOARCH},
		{"cpu", r.Machine.Processor},
		{"device", device},
		{"threads", strconv.Itoa(r.Threads())},
		{"ranks", aboveOne(r.Ranks())},
		{"nodes", aboveOne(len(r.Hosts()))},
		{"source", r.Input.Source},
		{"edgefactor", strconv.FormatFloat(r.Input.EdgeFactor, 'g', -1, 64)},
	} {
		if value := oneLine(c[1]); value != "" { // an empty value would delete the key
			config = append(config, benchfmt.Config{Key: c[0], Value: []byte(value), File: true})
		}
	}
	return config
}

// aboveOne formats a number that results of one process do not have.
func aboveOne(n int) string {
	if n == 1 {
		return ""
	}
	return strconv.Itoa(n)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

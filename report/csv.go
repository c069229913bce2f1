package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"graph500/engine"
)

// CSV writes a header and one row, so that rows of several runs form a table. Results
// have the names of the Graph500 specification, section "Output". Cells of a kernel that
// did not run are empty. Times are in seconds, sizes in bytes, numbers have full
// precision. docs/results.md lists the columns.
func CSV(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var t row
	t.text("started", r.Started.Format(time.RFC3339))
	t.text("host", r.Machine.Host)
	t.integer("nodes", int64(len(r.Hosts())))
	t.integer("ranks", int64(r.Ranks()))
	t.text("processor", r.Machine.Processor)
	t.integer("cores", int64(r.Cores()))
	t.text("memory_bytes", strconv.FormatUint(r.Memory(), 10))
	t.text("os", r.Machine.OS)
	t.text("engine", r.Engine.Name)
	t.text("hardware", r.Engine.Hardware)
	t.integer("threads", int64(r.Threads()))
	t.text("version", r.Program.Version)
	t.text("commit", r.Program.Commit)
	t.text("source", r.Input.Source)
	t.integer("SCALE", int64(r.Input.Scale))
	t.number("edgefactor", r.Input.EdgeFactor)
	t.integer("vertices", r.Graph.Vertices)
	t.integer("tuples", r.Graph.Tuples)
	t.number("isolated_share", engine.Graph(r.Graph).IsolatedShare())
	t.integer("label_bits", int64(r.Engine.LabelBits))
	t.text("conforming", strconv.FormatBool(r.Conforming()))
	t.text("not_conforming", strings.Join(r.NotConforming, "; "))
	t.text("validated", strconv.FormatBool(r.Validated()))
	t.integer("NBFS", int64(len(r.Kernels[0].Searches)))
	t.number("graph_generation", r.Generation)
	t.number("construction_time", r.Construction)
	t.text("peak_memory_bytes", strconv.FormatUint(r.PeakMemory, 10))
	for _, k := range engine.Kernels() {
		if run := r.Kernel(k); run != nil {
			t.kernel(run)
		} else {
			first := len(t.values)
			t.kernel(&KernelRun{Kernel: k, Searches: make([]Search, 1)})
			clear(t.values[first:])
		}
	}
	return csv.NewWriter(w).WriteAll([][]string{t.names, t.values})
}

type row struct{ names, values []string }

func (t *row) text(name, v string) {
	t.names = append(t.names, name)
	t.values = append(t.values, TextCell(v))
}

// TextCell returns a text as a cell of a CSV file that no spreadsheet takes for a formula: a
// quote comes before the characters that begin one, except in a number. Names of hosts, files
// and processors come from others.
func TextCell(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err != nil && s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

func (t *row) integer(name string, v int64) { t.text(name, strconv.FormatInt(v, 10)) }

func (t *row) number(name string, v float64) { t.text(name, strconv.FormatFloat(v, 'g', -1, 64)) }

// kernel adds the cells of a kernel. They are empty if the value is unknown.
func (t *row) kernel(k *KernelRun) {
	kernel := string(k.Kernel) + "_"
	teps := k.Rates()
	t.text(kernel+"strategy", k.Strategy)
	t.number(kernel+"GTEPS", teps.HarmonicMean/1e9)
	t.statistics(kernel, "time", k.times())
	slowest := k.Slowest()
	t.number(kernel+"p99_time", slowest.P99)
	t.integer(kernel+"slowest_root", int64(slowest.Root))
	t.statistics(kernel, "nedge", k.edges())
	t.number(kernel+"min_TEPS", teps.Min)
	t.number(kernel+"firstquartile_TEPS", teps.FirstQuartile)
	t.number(kernel+"median_TEPS", teps.Median)
	t.number(kernel+"thirdquartile_TEPS", teps.ThirdQuartile)
	t.number(kernel+"max_TEPS", teps.Max)
	t.number(kernel+"harmonic_mean_TEPS", teps.HarmonicMean)
	t.number(kernel+"harmonic_stddev_TEPS", teps.HarmonicDeviation)
	validate, depth, distance, delta := "", "", "", ""
	if k.Validated() {
		validate = strconv.FormatFloat(k.validations().Mean, 'g', -1, 64)
		depth = strconv.FormatInt(slices.Max(collect(k.Searches, func(s Search) int64 { return s.Depth })), 10)
		distance = single(slices.Max(collect(k.Searches, func(s Search) float32 { return s.MaxDistance })))
	}
	if k.Delta != 0 {
		delta = single(k.Delta)
	}
	t.text(kernel+"mean_validate", validate)
	t.text(kernel+"max_depth", depth)
	if k.Kernel == engine.SSSP {
		t.text(kernel+"max_distance", distance)
		t.text(kernel+"delta", delta)
	}
	for _, p := range measuredParts() {
		joules, rate := "", ""
		if e := k.energyOf(p.part); e != nil {
			joules = strconv.FormatFloat(e.JoulesPerSearch(), 'g', -1, 64)
			rate = strconv.FormatFloat(e.MTEPSPerWatt(), 'g', -1, 64)
		}
		t.text(kernel+p.name+"_joules_per_search", joules)
		t.text(kernel+p.name+"_MTEPS_per_watt", rate)
	}
}

// single formats a number of single precision.
func single(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

func (t *row) statistics(kernel, quantity string, s Statistics) {
	t.number(kernel+"min_"+quantity, s.Min)
	t.number(kernel+"firstquartile_"+quantity, s.FirstQuartile)
	t.number(kernel+"median_"+quantity, s.Median)
	t.number(kernel+"thirdquartile_"+quantity, s.ThirdQuartile)
	t.number(kernel+"max_"+quantity, s.Max)
	t.number(kernel+"mean_"+quantity, s.Mean)
	t.number(kernel+"stddev_"+quantity, s.Deviation)
}

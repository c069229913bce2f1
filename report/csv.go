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

// column is a column of a CSV file.
type column[T any] struct {
	name    string
	meaning string         // for docs/results.md
	cell    func(T) string // empty if the value is unknown
}

// CSV writes a header and one row, so that rows of several runs form a table. Results
// have the names of the Graph500 specification, section "Output". Cells of a kernel that
// did not run are empty. Times are in seconds, sizes in bytes, numbers have full precision.
func CSV(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var names, values []string
	for _, c := range runColumns() {
		names, values = append(names, c.name), append(values, TextCell(c.cell(r)))
	}
	for _, kernel := range engine.Kernels() {
		run := r.Kernel(kernel)
		for _, c := range kernelColumns(kernel) {
			value := ""
			if run != nil {
				value = TextCell(c.cell(run))
			}
			names, values = append(names, string(kernel)+"_"+c.name), append(values, value)
		}
	}
	return csv.NewWriter(w).WriteAll([][]string{names, values})
}

// runColumns lists the columns that all kernels of a run share.
func runColumns() []column[*Run] {
	return []column[*Run]{
		{"started", "start of the program, RFC 3339", func(r *Run) string { return r.Started.Format(time.RFC3339) }},
		{"host", "`machine`", func(r *Run) string { return r.Machine.Host }},
		{"nodes", "the same field: of all ranks", func(r *Run) string { return strconv.Itoa(len(r.Hosts())) }},
		{"ranks", "number of ranks", func(r *Run) string { return strconv.Itoa(r.Ranks()) }},
		{"processor", "`machine`", func(r *Run) string { return r.Machine.Processor }},
		{"cores", "the same field: of all ranks", func(r *Run) string { return strconv.Itoa(r.Cores()) }},
		{"memory_bytes", "memory of all hosts; 0 if unknown", func(r *Run) string { return strconv.FormatUint(r.Memory(), 10) }},
		{"os", "`machine`", func(r *Run) string { return r.Machine.OS }},
		{"engine", "`engine`", func(r *Run) string { return r.Engine.Name }},
		{"hardware", "`engine`", func(r *Run) string { return r.Engine.Hardware }},
		{"threads", "the same field: of all ranks", func(r *Run) string { return strconv.Itoa(r.Threads()) }},
		{"version", "`program`", func(r *Run) string { return r.Program.Version }},
		{"commit", "`program`", func(r *Run) string { return r.Program.Commit }},
		{"source", "`input`", func(r *Run) string { return r.Input.Source }},
		{"SCALE", "`input`", func(r *Run) string { return strconv.Itoa(r.Input.Scale) }},
		{"edgefactor", "`input`", func(r *Run) string { return full(r.Input.EdgeFactor) }},
		{"vertices", "`graph`", func(r *Run) string { return strconv.FormatInt(r.Graph.Vertices, 10) }},
		{"tuples", "`graph`", func(r *Run) string { return strconv.FormatInt(r.Graph.Tuples, 10) }},
		{"isolated_share", "`graph`", func(r *Run) string { return full(engine.Graph(r.Graph).IsolatedShare()) }},
		{"label_bits", "`engine`", func(r *Run) string { return strconv.Itoa(r.Engine.LabelBits) }},
		{"conforming", "`true` or `false`", func(r *Run) string { return strconv.FormatBool(r.Conforming()) }},
		{"not_conforming", "reasons, separated by `; `", func(r *Run) string { return strings.Join(r.NotConforming, "; ") }},
		{"validated", "`true` or `false`", func(r *Run) string { return strconv.FormatBool(r.Validated()) }},
		{"NBFS", "`nbfs`", func(r *Run) string { return strconv.Itoa(len(r.Kernels[0].Searches)) }},
		{"graph_generation", "the same field", func(r *Run) string { return full(r.Generation) }},
		{"construction_time", "the same field", func(r *Run) string { return full(r.Construction) }},
		{"peak_memory_bytes", "the same field", func(r *Run) string { return strconv.FormatUint(r.PeakMemory, 10) }},
	}
}

// kernelColumns lists the columns of a kernel, without its name before theirs.
func kernelColumns(kernel engine.Kernel) []column[*KernelRun] {
	columns := []column[*KernelRun]{
		{"strategy", "`kernels[].strategy`", func(k *KernelRun) string { return k.Strategy }},
		{"GTEPS", "harmonic mean, 10^9 edges per second", func(k *KernelRun) string { return full(k.Rates().HarmonicMean / 1e9) }},
	}
	columns = append(columns, statisticsColumns("time", (*KernelRun).times)...)
	columns = append(columns,
		column[*KernelRun]{"p99_time", "`kernels[].slowest`", func(k *KernelRun) string { return full(k.Slowest().P99) }},
		column[*KernelRun]{"slowest_root", "`kernels[].slowest`", func(k *KernelRun) string { return strconv.FormatInt(int64(k.Slowest().Root), 10) }},
		column[*KernelRun]{"elsewhere_share", "the same field of `kernels[]`", func(k *KernelRun) string { return full(k.Elsewhere()) }})
	columns = append(columns, statisticsColumns("nedge", (*KernelRun).edges)...)
	const rates = "`kernels[].teps`"
	columns = append(columns,
		column[*KernelRun]{"min_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().Min) }},
		column[*KernelRun]{"firstquartile_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().FirstQuartile) }},
		column[*KernelRun]{"median_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().Median) }},
		column[*KernelRun]{"thirdquartile_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().ThirdQuartile) }},
		column[*KernelRun]{"max_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().Max) }},
		column[*KernelRun]{"harmonic_mean_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().HarmonicMean) }},
		column[*KernelRun]{"harmonic_stddev_TEPS", rates, func(k *KernelRun) string { return full(k.Rates().HarmonicDeviation) }},
		column[*KernelRun]{"mean_validate", "mean seconds of a validation", ifValidated(func(k *KernelRun) string { return full(k.validations().Mean) })},
		column[*KernelRun]{"max_depth", "largest depth of a search", ifValidated(func(k *KernelRun) string {
			return strconv.FormatInt(slices.Max(collect(k.Searches, func(s Search) int64 { return s.Depth })), 10)
		})})
	if kernel == engine.SSSP {
		columns = append(columns,
			column[*KernelRun]{"max_distance", "largest distance of a search", ifValidated(func(k *KernelRun) string {
				if most := slices.Max(collect(k.Searches, func(s Search) uint64 { return s.MaxExact })); most > 0 {
					return strconv.FormatUint(most, 10)
				}
				return single(slices.Max(collect(k.Searches, func(s Search) float32 { return s.MaxDistance })))
			})},
			column[*KernelRun]{"delta", "`kernels[].delta`", func(k *KernelRun) string {
				if k.Delta == 0 {
					return ""
				}
				return single(k.Delta)
			}})
	}
	for _, p := range measuredParts() {
		measured := func(value func(Energy) float64) func(*KernelRun) string {
			return func(k *KernelRun) string {
				if e := k.energyOf(p.part); e != nil {
					return full(value(*e))
				}
				return ""
			}
		}
		columns = append(columns,
			column[*KernelRun]{p.name + "_joules_per_search", "of " + string(p.part), measured(Energy.JoulesPerSearch)},
			column[*KernelRun]{p.name + "_MTEPS_per_watt", "of " + string(p.part), measured(Energy.MTEPSPerWatt)})
	}
	return columns
}

// statisticsColumns lists the columns of a quantity over the searches of a kernel.
func statisticsColumns(quantity string, of func(*KernelRun) Statistics) (columns []column[*KernelRun]) {
	for _, s := range []struct {
		name  string
		value func(Statistics) float64
	}{
		{"min", func(s Statistics) float64 { return s.Min }},
		{"firstquartile", func(s Statistics) float64 { return s.FirstQuartile }},
		{"median", func(s Statistics) float64 { return s.Median }},
		{"thirdquartile", func(s Statistics) float64 { return s.ThirdQuartile }},
		{"max", func(s Statistics) float64 { return s.Max }},
		{"mean", func(s Statistics) float64 { return s.Mean }},
		{"stddev", func(s Statistics) float64 { return s.Deviation }},
	} {
		columns = append(columns, column[*KernelRun]{s.name + "_" + quantity, "`kernels[]." + quantity + "`", func(k *KernelRun) string { return full(s.value(of(k))) }})
	}
	return columns
}

// ifValidated returns cell for a kernel of which every search was validated; else it is empty.
func ifValidated(cell func(*KernelRun) string) func(*KernelRun) string {
	return func(k *KernelRun) string {
		if !k.Validated() {
			return ""
		}
		return cell(k)
	}
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

// full formats a number with full precision.
func full(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// single formats a number of single precision.
func single(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

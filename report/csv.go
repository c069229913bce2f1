package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"
)

// CSV writes a header and one row, so that rows of several runs form a table. Results
// have the names of the Graph500 specification, section "Output". Times are in seconds,
// sizes in bytes, numbers have full precision. docs/results.md lists the columns.
func CSV(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	var t row
	t.text("started", r.Started.Format(time.RFC3339))
	t.text("host", r.Machine.Host)
	t.integer("nodes", 1)
	t.text("processor", r.Machine.Processor)
	t.integer("cores", int64(r.Machine.Cores))
	t.text("memory_bytes", strconv.FormatUint(r.Machine.Memory, 10))
	t.text("os", r.Machine.OS)
	t.text("engine", r.Engine.Name)
	t.text("hardware", r.Engine.Hardware)
	t.text("strategy", r.Engine.Strategy)
	t.integer("threads", int64(r.Engine.Threads))
	t.text("version", r.Program.Version)
	t.text("commit", r.Program.Commit)
	t.text("source", r.Input.Source)
	t.integer("SCALE", int64(r.Input.Scale))
	t.number("edgefactor", r.Input.EdgeFactor)
	t.integer("vertices", r.Graph.Vertices)
	t.integer("tuples", r.Graph.Tuples)
	t.number("isolated_share", r.Graph.IsolatedShare())
	t.integer("label_bits", int64(r.Engine.LabelBits))
	t.text("conforming", strconv.FormatBool(r.Conforming()))
	t.text("not_conforming", strings.Join(r.NotConforming, "; "))
	t.text("validated", strconv.FormatBool(r.Validated()))
	teps := rates(r.Searches)
	t.number("GTEPS", teps.HarmonicMean/1e9)
	t.integer("NBFS", int64(len(r.Searches)))
	t.number("graph_generation", r.Generation)
	t.number("construction_time", r.Construction)
	t.statistics("time", r.times())
	t.statistics("nedge", r.edges())
	t.number("bfs_min_TEPS", teps.Min)
	t.number("bfs_firstquartile_TEPS", teps.FirstQuartile)
	t.number("bfs_median_TEPS", teps.Median)
	t.number("bfs_thirdquartile_TEPS", teps.ThirdQuartile)
	t.number("bfs_max_TEPS", teps.Max)
	t.number("bfs_harmonic_mean_TEPS", teps.HarmonicMean)
	t.number("bfs_harmonic_stddev_TEPS", teps.HarmonicDeviation)
	mean := "" // the cell is empty without validation
	if r.Validated() {
		mean = strconv.FormatFloat(r.validations().Mean, 'g', -1, 64)
	}
	t.text("bfs_mean_validate", mean)
	t.text("peak_memory_bytes", strconv.FormatUint(r.PeakMemory, 10))
	return csv.NewWriter(w).WriteAll([][]string{t.names, t.values})
}

type row struct{ names, values []string }

func (t *row) text(name, v string) {
	t.names = append(t.names, name)
	t.values = append(t.values, v)
}

func (t *row) integer(name string, v int64) { t.text(name, strconv.FormatInt(v, 10)) }

func (t *row) number(name string, v float64) { t.text(name, strconv.FormatFloat(v, 'g', -1, 64)) }

func (t *row) statistics(quantity string, s Statistics) {
	t.number("bfs_min_"+quantity, s.Min)
	t.number("bfs_firstquartile_"+quantity, s.FirstQuartile)
	t.number("bfs_median_"+quantity, s.Median)
	t.number("bfs_thirdquartile_"+quantity, s.ThirdQuartile)
	t.number("bfs_max_"+quantity, s.Max)
	t.number("bfs_mean_"+quantity, s.Mean)
	t.number("bfs_stddev_"+quantity, s.Deviation)
}

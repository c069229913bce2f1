package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
)

func readCSV(t *testing.T, r *Run) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := CSV(&out, r); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&out).ReadAll() // checks that all rows have the same length
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	row := map[string]string{}
	for i, name := range records[0] {
		if _, twice := row[name]; twice {
			t.Errorf("column %s twice", name)
		}
		row[name] = records[1][i]
	}
	return row
}

func TestCSV(t *testing.T) {
	r := fullRun()
	row := readCSV(t, r)
	for name, want := range map[string]string{
		"started": "2026-11-21T04:05:06+01:00", "host": "node7", "nodes": "2", "ranks": "2",
		"processor": "Some  CPU, 2.0 GHz", "cores": "48", "memory_bytes": "274877906944", "os": "linux/amd64 6.1.0",
		"engine": "cpu", "hardware": "2 sockets", "threads": "47",
		"version": "v1.2.3", "commit": "0123abcd", "source": "kronecker",
		"SCALE": "4", "edgefactor": "3", "vertices": "16", "tuples": "48", "isolated_share": "0.25",
		"label_bits": "32", "conforming": "false", "not_conforming": "edgefactor is 3, not 16; the searches were few", "validated": "true",
		"NBFS": "2", "graph_generation": "0.125", "construction_time": "0.25",
		"peak_memory_bytes": "123456789",
		"bfs_strategy":      "direction", "bfs_mean_validate": "1.125", "bfs_max_depth": "2",
		"sssp_strategy": "buckets", "sssp_mean_validate": "0.375", "sssp_max_depth": "5", "sssp_max_distance": "33554433", "sssp_delta": "0.1",
		"bfs_boards_joules_per_search": "125", "bfs_boards_MTEPS_per_watt": "0.2",
		"bfs_packages_joules_per_search": "20", "bfs_packages_MTEPS_per_watt": "1.25",
		"bfs_system_joules_per_search": "", "bfs_system_MTEPS_per_watt": "", // not measured
		"sssp_boards_joules_per_search": "", "sssp_boards_MTEPS_per_watt": "",
		"sssp_packages_joules_per_search": "", "sssp_packages_MTEPS_per_watt": "",
		"sssp_system_joules_per_search": "", "sssp_system_MTEPS_per_watt": "",
		"bfs_p99_time": "0.4975", "bfs_slowest_root": "3", "sssp_p99_time": "1.99", "sssp_slowest_root": "3", "bfs_elsewhere_share": "0.5", "sssp_elsewhere_share": "0.5",
	} {
		if got, ok := row[name]; !ok || got != want {
			t.Errorf("%s: got %q, want %q", name, row[name], want)
		}
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		times, edges, teps := k.times(), k.edges(), rates(k.Searches)
		for name, want := range map[string]float64{
			"min_time": times.Min, "firstquartile_time": times.FirstQuartile, "median_time": times.Median,
			"thirdquartile_time": times.ThirdQuartile, "max_time": times.Max, "mean_time": times.Mean, "stddev_time": times.Deviation,
			"min_nedge": edges.Min, "firstquartile_nedge": edges.FirstQuartile, "median_nedge": edges.Median,
			"thirdquartile_nedge": edges.ThirdQuartile, "max_nedge": edges.Max, "mean_nedge": edges.Mean, "stddev_nedge": edges.Deviation,
			"min_TEPS": teps.Min, "firstquartile_TEPS": teps.FirstQuartile, "median_TEPS": teps.Median,
			"thirdquartile_TEPS": teps.ThirdQuartile, "max_TEPS": teps.Max,
			"harmonic_mean_TEPS": teps.HarmonicMean, "harmonic_stddev_TEPS": teps.HarmonicDeviation,
			"GTEPS": teps.HarmonicMean / 1e9,
		} {
			name = string(k.Kernel) + "_" + name
			if got, err := strconv.ParseFloat(row[name], 64); err != nil || got != want {
				t.Errorf("%s: got %q, want %g", name, row[name], want)
			}
		}
	}
	if len(row) != 27+3+5+2*25+2*6 {
		t.Errorf("%d columns, some of them not checked", len(row))
	}
}

// Every run has the same columns. Those of a kernel that did not run are empty.
func TestCSVOfOneKernel(t *testing.T) {
	both := readCSV(t, fullRun())
	for i, other := range []string{"sssp_", "bfs_"} {
		r := fullRun()
		r.Kernels = r.Kernels[i : i+1]
		row := readCSV(t, r)
		for name, want := range both {
			if strings.HasPrefix(name, other) {
				want = ""
			}
			if got, ok := row[name]; !ok || got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

func TestCSVWithoutValidation(t *testing.T) {
	r := fullRun()
	unvalidated(r)
	r.NotConforming = nil
	row := readCSV(t, r)
	if row["bfs_mean_validate"]+row["bfs_max_depth"]+row["sssp_mean_validate"]+row["sssp_max_distance"] != "" || row["validated"] != "false" || row["conforming"] != "true" || row["not_conforming"] != "" {
		t.Errorf("%q", row)
	}
}

// No text begins a formula in a spreadsheet, and numbers stay numbers.
func TestTextCell(t *testing.T) {
	for text, want := range map[string]string{
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "@SUM(A1)": "'@SUM(A1)", "+1+2": "'+1+2", "-2+3": "'-2+3", "\t=1": "'\t=1",
		"": "", "node7": "node7", "-1.5": "-1.5", "+3": "+3", "a=b": "a=b",
	} {
		if got := TextCell(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	r := fullRun()
	r.Machine.Host = "=1+1"
	var out bytes.Buffer
	if err := CSV(&out, r); err != nil || !strings.Contains(out.String(), ",'=1+1,") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
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
		"started": "2026-11-21T04:05:06+01:00", "host": "node7", "nodes": "1",
		"processor": "Some  CPU, 2.0 GHz", "cores": "48", "memory_bytes": "137438953472", "os": "linux/amd64 6.1.0",
		"engine": "cpu", "hardware": "2 sockets", "strategy": "direction", "threads": "47",
		"version": "v1.2.3", "commit": "0123abcd", "source": "kronecker",
		"SCALE": "4", "edgefactor": "3", "vertices": "16", "tuples": "48", "isolated_share": "0.25",
		"label_bits": "32", "conforming": "false", "not_conforming": "edgefactor is 3, not 16; the searches were few", "validated": "true",
		"NBFS": "2", "graph_generation": "0.125", "construction_time": "0.25",
		"bfs_mean_validate": "1.125", "peak_memory_bytes": "123456789",
	} {
		if row[name] != want {
			t.Errorf("%s: got %q, want %q", name, row[name], want)
		}
	}
	times, edges, teps := r.times(), r.edges(), rates(r.Searches)
	for name, want := range map[string]float64{
		"bfs_min_time": times.Min, "bfs_firstquartile_time": times.FirstQuartile, "bfs_median_time": times.Median,
		"bfs_thirdquartile_time": times.ThirdQuartile, "bfs_max_time": times.Max, "bfs_mean_time": times.Mean, "bfs_stddev_time": times.Deviation,
		"bfs_min_nedge": edges.Min, "bfs_firstquartile_nedge": edges.FirstQuartile, "bfs_median_nedge": edges.Median,
		"bfs_thirdquartile_nedge": edges.ThirdQuartile, "bfs_max_nedge": edges.Max, "bfs_mean_nedge": edges.Mean, "bfs_stddev_nedge": edges.Deviation,
		"bfs_min_TEPS": teps.Min, "bfs_firstquartile_TEPS": teps.FirstQuartile, "bfs_median_TEPS": teps.Median,
		"bfs_thirdquartile_TEPS": teps.ThirdQuartile, "bfs_max_TEPS": teps.Max,
		"bfs_harmonic_mean_TEPS": teps.HarmonicMean, "bfs_harmonic_stddev_TEPS": teps.HarmonicDeviation,
		"GTEPS": teps.HarmonicMean / 1e9,
	} {
		if got, err := strconv.ParseFloat(row[name], 64); err != nil || got != want {
			t.Errorf("%s: got %q, want %g", name, row[name], want)
		}
	}
	if len(row) != 28+22 {
		t.Errorf("%d columns, some of them not checked", len(row))
	}
}

func TestCSVWithoutValidation(t *testing.T) {
	r := fullRun()
	unvalidated(r)
	r.NotConforming = nil
	row := readCSV(t, r)
	if row["bfs_mean_validate"] != "" || row["validated"] != "false" || row["conforming"] != "true" || row["not_conforming"] != "" {
		t.Errorf("%q", row)
	}
}

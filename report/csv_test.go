package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// The cells of a full run, one per line.
func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := CSV(&out, fullRun()); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	var cells strings.Builder
	for i, name := range records[0] {
		fmt.Fprintf(&cells, "%s: %s\n", name, records[1][i])
	}
	want, err := os.ReadFile("testdata/cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), cells.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
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

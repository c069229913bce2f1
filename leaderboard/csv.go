package leaderboard

import (
	"encoding/csv"
	"io"

	"graph500/engine"
	"graph500/report"
)

// CSV writes a header and a row for each run of the board. Columns that differ for the
// kernels have the kernel before their names. Numbers have full precision and no unit;
// unknown values are empty.
func CSV(w io.Writer, b *Board) error {
	lines := [][]string{append(csvNames(), "table", "file", "id")}
	for _, t := range b.Tables {
		for _, r := range t.Rows {
			line := append(csvCells(r), t.Title, r.File, r.ID)
			for i := range line {
				line[i] = report.TextCell(line[i])
			}
			lines = append(lines, line)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func csvNames() (names []string) {
	for _, c := range columns() {
		if !c.ByKernel {
			names = append(names, c.Name)
			continue
		}
		for _, k := range engine.Kernels() {
			names = append(names, string(k)+"_"+c.Name)
		}
	}
	return names
}

func csvCells(r *Row) (cells []string) {
	for _, c := range columns() {
		if !c.ByKernel {
			cells = append(cells, c.cell(r, "").Exact)
			continue
		}
		for _, k := range engine.Kernels() {
			cells = append(cells, c.cell(r, k).Exact)
		}
	}
	return cells
}

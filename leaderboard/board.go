// Package leaderboard ranks runs in tables of runs that can be compared, and writes the
// tables as an HTML page, Markdown and CSV. It knows the records of runs and nothing of
// where they come from: it searches no directories, runs nothing and has no flags.
//
// docs/ranking.md describes what a reader sees.
package leaderboard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"graph500/engine"
	"graph500/report"
	"graph500/rules"
)

// Entry is a run with the name of its file.
type Entry struct {
	File string
	Run  *report.Run
}

// LeftOut is a file that is not on the leaderboard.
type LeftOut struct {
	File string
	Err  error
}

// Board is a leaderboard.
type Board struct {
	Tables  []*Table
	LeftOut []LeftOut
}

// Table holds runs that can be compared. Runs of different tables cannot.
type Table struct {
	Title string
	About string // why these runs have a table of their own
	Rows  []*Row // by falling rate of BFS, then of SSSP
	class class
}

// Row is a run in a table.
type Row struct {
	ID     string // of the run: 12 hexadecimal digits
	File   string
	Run    *report.Run
	Ranked bool // false if the rate of the run must not be compared with others

	document []byte // the run in JSON
	reasons  []string
	ranks    map[engine.Kernel]int // from 1; only of kernels with a rank
}

// New sorts runs into tables and ranks them. Runs that cannot be shown are left out,
// with the reason.
func New(entries []Entry) *Board {
	b := new(Board)
	names := make(map[string]string) // of files, by what identifies a run
	for _, e := range entries {
		err := e.Run.Plausible()
		if err == nil {
			err = rememberRun(names, e)
		}
		if err == nil {
			err = b.add(e)
		}
		if err != nil {
			b.LeftOut = append(b.LeftOut, LeftOut{e.File, err})
		}
	}
	slices.SortStableFunc(b.Tables, func(a, b *Table) int { return a.class.compare(b.class) })
	for _, t := range b.Tables {
		t.rank()
	}
	return b
}

// rememberRun adds the entry to names, or returns an error if there is such a run. Two
// runs are the same if they started at the same time on the same host with the same
// command.
func rememberRun(names map[string]string, e Entry) error {
	key := fmt.Sprintf("%d\n%q\n%q", e.Run.Started.UnixNano(), e.Run.Machine.Host, e.Run.Command)
	if other, ok := names[key]; ok {
		return fmt.Errorf("it is the same run as %s (start, host and command)", other)
	}
	names[key] = e.File
	return nil
}

// add adds a run to its table.
func (b *Board) add(e Entry) error {
	var document, compact bytes.Buffer
	if err := report.JSON(&document, e.Run); err != nil {
		return err
	}
	if err := json.Compact(&compact, document.Bytes()); err != nil {
		return err
	}
	sum := sha256.Sum256(compact.Bytes())
	row := &Row{ID: hex.EncodeToString(sum[:6]), File: e.File, Run: e.Run, document: compact.Bytes(), reasons: []string{}, ranks: make(map[engine.Kernel]int)}
	broken := rules.Broken(e.Run)
	for _, v := range broken {
		row.reasons = append(row.reasons, v.Reason)
	}
	class := classOf(e.Run, broken)
	row.Ranked = class.ranked && !breaks(broken, rules.Keys) && !breaks(broken, rules.Count)
	i := slices.IndexFunc(b.Tables, func(t *Table) bool { return t.class == class })
	if i < 0 {
		i = len(b.Tables)
		title, about := class.texts()
		b.Tables = append(b.Tables, &Table{Title: title, About: about, class: class})
	}
	b.Tables[i].Rows = append(b.Tables[i].Rows, row)
	return nil
}

// rank sorts the rows and sets their ranks. Equal rates have the same rank.
func (t *Table) rank() {
	kernels := engine.Kernels()
	slices.Reverse(kernels)
	for _, k := range kernels { // the last sort decides
		slices.SortStableFunc(t.Rows, func(a, b *Row) int {
			return cmp.Or(compareRanked(a, b), cmp.Compare(b.rate(k), a.rate(k)))
		})
		for i, r := range t.Rows {
			switch {
			case !r.Ranked || r.rate(k) == 0:
			case i > 0 && t.Rows[i-1].rate(k) == r.rate(k):
				r.ranks[k] = t.Rows[i-1].ranks[k]
			default:
				r.ranks[k] = i + 1
			}
		}
	}
}

// compareRanked compares for an order with unranked rows last.
func compareRanked(a, b *Row) int {
	switch {
	case a.Ranked == b.Ranked:
		return 0
	case a.Ranked:
		return -1
	}
	return 1
}

// rate returns the harmonic-mean TEPS of a kernel; 0 if it did not run or has no rate.
func (r *Row) rate(k engine.Kernel) float64 {
	if run := r.Run.Kernel(k); run != nil {
		return run.Rates().HarmonicMean
	}
	return 0
}

// has reports whether a row of the table has searches of the kernel.
func (t *Table) has(k engine.Kernel) bool {
	return slices.ContainsFunc(t.Rows, func(r *Row) bool { return r.Run.Kernel(k) != nil })
}

// Runs returns the number of runs in all tables.
func (b *Board) Runs() (n int) {
	for _, t := range b.Tables {
		n += len(t.Rows)
	}
	return n
}

// Check returns an error for a board without runs.
func (b *Board) Check() error {
	if b.Runs() == 0 {
		return errors.New("there is no run to rank")
	}
	return nil
}

// conformity says whether the run conforms to the rules, or why not.
func (r *Row) conformity() string {
	if len(r.reasons) == 0 {
		return "yes"
	}
	return strings.Join(r.reasons, "; ")
}

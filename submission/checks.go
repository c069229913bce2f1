// Package submission prepares a run for the Graph500 list: it checks the run against the
// rules of the list and writes the fields that the published lists show. It knows the
// record of a run and its files. It runs nothing, and sends nothing anywhere.
//
// The form of the list itself was not available when this was written. The fields are
// those of the published lists.
package submission

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"graph500/report"
	"graph500/rules"
)

// Result is a run with the files that it was written to.
type Result struct {
	Run   *report.Run
	JSON  []byte // result.json
	Block []byte // result.txt; nil if there is none
}

// State is the outcome of a check.
type State string

const (
	Passed  State = "ok"
	Failed  State = "FAILS"
	Unknown State = "?"    // there is nothing to compare with
	Noted   State = "note" // no rule of the list, but worth reading
)

// Check is one thing that a run must have.
type Check struct {
	Name   string
	State  State
	Reason string // empty if passed
}

// Checks lists the checks of a result.
func Checks(r *Result) (list []Check) {
	broken := make(map[rules.Rule][]string)
	for _, v := range rules.Broken(r.Run) {
		broken[v.Rule] = append(broken[v.Rule], v.Reason)
	}
	for _, rule := range rules.All() {
		list = append(list, newCheck(rule.String(), strings.Join(broken[rule], "; ")))
	}
	return append(list,
		newCheck("2^SCALE vertices and edgefactor · 2^SCALE edges", wrongSize(r.Run)),
		newCheck("the same keys for all kernels", otherKeys(r.Run)),
		newCheck("edges and a time for every search", emptySearch(r.Run)),
		newCheck("a time of kernel 1", noConstruction(r.Run)),
		checkStatistics(r),
		checkBlock(r),
		newNote("a known revision of the program, without changes", unknownProgram(r.Run)),
		newNote("no warnings of the run", strings.Join(r.Run.Warnings, "; ")),
	)
}

// newCheck returns a check that fails for a reason, or passes without one.
func newCheck(name, reason string) Check {
	if reason == "" {
		return Check{name, Passed, ""}
	}
	return Check{name, Failed, reason}
}

// newNote returns a check that passes, or has something to read.
func newNote(name, text string) Check {
	c := newCheck(name, text)
	if c.State == Failed {
		c.State = Noted
	}
	return c
}

func wrongSize(r *report.Run) string {
	vertices := math.Ldexp(1, r.Input.Scale)
	tuples := r.Input.EdgeFactor * vertices
	if float64(r.Graph.Vertices) != vertices || float64(r.Graph.Tuples) != tuples {
		return fmt.Sprintf("%d vertices and %d edges instead of %.0f and %.0f", r.Graph.Vertices, r.Graph.Tuples, vertices, tuples)
	}
	return ""
}

func otherKeys(r *report.Run) string {
	for _, k := range r.Kernels[1:] {
		for i, s := range k.Searches {
			if first := r.Kernels[0].Searches; i >= len(first) || first[i].Root != s.Root {
				return fmt.Sprintf("search %d of %s has another key than that of %s", i+1, k.Kernel.Title(), r.Kernels[0].Kernel.Title())
			}
		}
	}
	return ""
}

func emptySearch(r *report.Run) string {
	for _, k := range r.Kernels {
		for i, s := range k.Searches {
			if s.TEPS() == 0 {
				return fmt.Sprintf("search %d of %s: %d edges in %v s", i+1, k.Kernel.Title(), s.Edges, s.Seconds)
			}
		}
	}
	return ""
}

func noConstruction(r *report.Run) string {
	if r.Construction <= 0 {
		return fmt.Sprintf("construction_time is %v", r.Construction)
	}
	return ""
}

func unknownProgram(r *report.Run) string {
	switch {
	case r.Program.Commit == "":
		return "the revision is unknown"
	case strings.HasSuffix(r.Program.Commit, "-dirty"):
		return "the program was built from changed files: " + r.Program.Commit
	}
	return ""
}

// maxListed is the number of disagreements that a check lists.
const maxListed = 3

// checkStatistics recomputes the statistics, with the harmonic mean, from the times of
// the searches.
func checkStatistics(r *Result) Check {
	const name = "statistics that follow from the times of the searches"
	list, err := report.Disagreements(r.JSON)
	if err != nil {
		return Check{name, Unknown, err.Error()}
	}
	if n := len(list); n > maxListed {
		list = append(list[:maxListed], fmt.Sprintf("and %d more", n-maxListed))
	}
	return newCheck(name, strings.Join(list, "; "))
}

// checkBlock compares the official block with that of the searches in the JSON.
func checkBlock(r *Result) Check {
	const name = "block (result.txt) and JSON that agree"
	if r.Block == nil {
		return Check{name, Unknown, "there is no result.txt beside the JSON"}
	}
	var block bytes.Buffer
	if err := report.Official(&block, r.Run); err != nil {
		return newCheck(name, err.Error())
	}
	stated, computed := strings.Split(string(r.Block), "\n"), strings.Split(block.String(), "\n")
	for i := range max(len(stated), len(computed)) {
		s, c := line(stated, i), line(computed, i)
		if s != c {
			return newCheck(name, fmt.Sprintf("line %d of the block is %q, and the JSON gives %q", i+1, s, c))
		}
	}
	return newCheck(name, "")
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return strings.Join(strings.Fields(lines[i]), " ")
	}
	return ""
}

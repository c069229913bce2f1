package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/graph500/testinput"
)

// A recipe is how a published benchmark suite reads the output of the reference: a regular
// expression for each value, in which NAME stands for the name of the line, and the lines that
// it reads. The expressions are facts of the suites' files.
type recipe struct {
	suite, source string
	expression    string
	blanks        string // between the words of a name, in the expression
	lines         []string
}

func recipes() []recipe {
	return []recipe{
		{
			suite: "Phoronix Test Suite", source: "phoronix-test-suite/phoronix-test-suite: ob-cache/test-profiles/pts/graph500-1.0.1/results-definition.xml",
			expression: `(?m)^.*NAME\S*\s+(\S+).*$`, // the line of LineHint, its word at the place of #_RESULT_#
			lines:      []string{"bfs  median_TEPS", "bfs  max_TEPS", "sssp median_TEPS", "sssp max_TEPS"},
		},
		{
			suite: "JUBE", source: "FZJ-JSC/jubench-graph500: benchmark/jube/jube-graph500-juwelsbooster.yml",
			expression: `NAME:     !  ([+-]?\d*\.?\d+(?:[eE][-+]?\d+)?)`, // $jube_pat_fp
			lines:      []string{"bfs  harmonic_mean_TEPS", "sssp harmonic_mean_TEPS"},
		},
		{
			suite: "Ramble", source: "GoogleCloudPlatform/ramble: var/ramble/repos/builtin/applications/graph500/application.py",
			expression: `NAME:\s+([0-9]+(?:\.[0-9]+)?(?:[eE][\+\-]?[0-9]+)?)`, blanks: `\s+`,
			lines: []string{
				"bfs  harmonic_mean_TEPS", "bfs  harmonic_stddev_TEPS", "bfs  min_TEPS", "bfs  firstquartile_TEPS", "bfs  median_TEPS", "bfs  thirdquartile_TEPS", "bfs  max_TEPS",
				"graph_generation", "construction_time", "bfs  min_time", "bfs  median_time", "bfs  mean_time", "bfs  max_time", "bfs  mean_validate",
				"SCALE", "edgefactor", "num_mpi_processes",
			},
		},
		{
			suite: "DCPerf", source: "facebookresearch/DCPerf: benchpress/plugins/parsers/graph500.py",
			expression: `NAME:\s+(\d+\.?\d*e?[+-]\d*)`, // the names are \w+_TEPS
			lines: []string{
				"bfs  harmonic_mean_TEPS", "bfs  harmonic_stddev_TEPS", "bfs  min_TEPS", "bfs  firstquartile_TEPS", "bfs  median_TEPS", "bfs  thirdquartile_TEPS", "bfs  max_TEPS",
				"sssp harmonic_mean_TEPS", "sssp harmonic_stddev_TEPS", "sssp min_TEPS", "sssp firstquartile_TEPS", "sssp median_TEPS", "sssp thirdquartile_TEPS", "sssp max_TEPS",
			},
		},
	}
}

// value returns what the recipe finds in an output for a line, "" for nothing.
func (r recipe) value(output, line string) string {
	name := regexp.QuoteMeta(line)
	if r.blanks != "" {
		name = regexp.MustCompile(` +`).ReplaceAllLiteralString(name, r.blanks)
	}
	found := regexp.MustCompile(strings.Replace(r.expression, "NAME", name, 1)).FindStringSubmatch(output)
	if found == nil {
		return ""
	}
	return found[1]
}

// lineOf returns the value of a line of the block, by its columns. It is "" if there is no such line.
func lineOf(block, name string) string {
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, name+":") {
			return strings.TrimSpace(line[32:])
		}
	}
	return ""
}

// readByRecipes runs the expressions of the suites over a block. They must find what they find in a
// block of the reference with the same values: Ramble and DCPerf look for blanks only before a
// number, and so miss the harmonic mean, and DCPerf misses numbers without an exponent.
func readByRecipes(t *testing.T, block string, kernels ...engine.Kernel) {
	t.Helper()
	for _, r := range recipes() {
		for _, line := range r.lines {
			kernel, _, ofKernel := strings.Cut(line, " ")
			want := lineOf(block, line)
			if hasKernel := !ofKernel || slices.Contains(kernels, engine.Kernel(kernel)); hasKernel != (want != "") {
				t.Errorf("line %s: %q", line, want)
			}
			marked := strings.HasSuffix(line, "harmonic_mean_TEPS") && (r.suite == "Ramble" || r.suite == "DCPerf")
			if marked || r.suite == "DCPerf" && !strings.Contains(want, "e+") || want == "-1" && r.suite == "Ramble" {
				want = ""
			}
			if got := r.value(block, line); got != want {
				t.Errorf("%s (%s) reads %q for %s, want %q", r.suite, r.source, got, line, want)
			}
		}
	}
}

// TestRecipesReadTheReference reads a block of the reference itself with the recipes.
func TestRecipesReadTheReference(t *testing.T) {
	block := testinput.Read(t, "../report/testdata/blocks", "reference-sample-sssp.txt")
	readByRecipes(t, block, engine.BFS, engine.SSSP)
	var alone strings.Builder
	for line := range strings.Lines(block) {
		if !strings.HasPrefix(line, "bfs ") {
			alone.WriteString(line)
		}
	}
	readByRecipes(t, alone.String(), engine.SSSP)
	for suite, lines := range map[string][]string{
		"Phoronix Test Suite": {"bfs  median_TEPS", "2.58834e+07", "sssp max_TEPS", "2.13869e+07"},
		"JUBE":                {"bfs  harmonic_mean_TEPS", "2.05481e+07", "sssp harmonic_mean_TEPS", "1.01367e+07"},
		"Ramble":              {"bfs  min_TEPS", "4.97416e+06", "num_mpi_processes", "1"},
		"DCPerf":              {"sssp min_TEPS", "4.87984e+06", "sssp harmonic_stddev_TEPS", ""},
	} {
		i := slices.IndexFunc(recipes(), func(r recipe) bool { return r.suite == suite })
		for ; len(lines) > 0; lines = lines[2:] {
			if got := recipes()[i].value(block, lines[0]); got != lines[1] {
				t.Errorf("%s: %s is %q, want %q", suite, lines[0], got, lines[1])
			}
		}
	}
}

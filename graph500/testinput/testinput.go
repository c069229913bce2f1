// Package testinput has command lines, environments, strategies and files for tests. It imports no
// package of the program.
package testinput

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"graph500/engine"
	"graph500/report"
)

// Write creates a file and returns its path.
func Write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read returns a file's content.
func Read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Names lists the files of a directory.
func Names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Environment returns a lookup function for variables given as NAME=value.
func Environment(variables ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range variables {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// CommandLine returns a command line of the program with these flags.
func CommandLine(flags []string) []string { return append([]string{"graph500"}, flags...) }

// Strategies returns strategies for the fake engine, which are also those of the CPU
// engine for the check of flags. A search takes as many bytes as there are vertices.
func Strategies() map[string][]engine.Strategy {
	memory := func(vertices, _ uint64) []engine.Allocation {
		return []engine.Allocation{{Name: "queue", Bytes: vertices}}
	}
	list := []engine.Strategy{
		{Kernel: engine.BFS, Name: "push"}, {Kernel: engine.BFS, Name: "pull"}, {Kernel: engine.BFS, Name: "default", OverRanks: true},
		{Kernel: engine.SSSP, Name: "dijkstra"}, {Kernel: engine.SSSP, Name: "delta-stepping", UsesDelta: true}, {Kernel: engine.SSSP, Name: "default", OverRanks: true},
	}
	for i := range list {
		list[i].Memory = memory
	}
	return map[string][]engine.Strategy{"cpu": list, "fake": list}
}

// SameFiles compares the files of two directories that do not depend on which of several
// shortest trees was found: edges, weights and distances.
func SameFiles(t *testing.T, dir, with string) {
	t.Helper()
	files := func(dir string) []string {
		var list []string
		if err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				path, err = filepath.Rel(dir, path)
				list = append(list, path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if !slices.Equal(files(dir), files(with)) {
		t.Fatalf("files %q, not %q", files(dir), files(with))
	}
	for _, file := range files(dir) {
		a, b := Read(t, dir, file), Read(t, with, file)
		if len(a) != len(b) || a != b && filepath.Ext(file) != ".i64" {
			t.Errorf("%s differs, %d and %d bytes", file, len(a), len(b))
		}
	}
}

// Counted returns the lines of the CSV format without times.
func Counted(t *testing.T, text string) (lines []string) {
	t.Helper()
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range table[1:] {
		for i, name := range table[0] {
			if strings.HasSuffix(name, "_time") || name == "memory_bytes" || name == "source" {
				line[i] = ""
			}
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}

// Contents returns the files of the parts in a directory by name.
func Contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "part-") || strings.HasPrefix(e.Name(), "vertices.part.") {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(text)
		}
	}
	return files
}

// SVGTexts checks that a text is SVG and returns the texts in it.
func SVGTexts(t *testing.T, svg string) string {
	t.Helper()
	var texts strings.Builder
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if text, ok := token.(xml.CharData); ok {
			texts.Write(text)
			texts.WriteByte('\n')
		}
	}
	if !strings.Contains(svg, "<svg") {
		t.Fatal(svg)
	}
	return texts.String()
}

// PowerLogOf returns a log of a constant power with a hundred samples around the
// repetition of each kernel of a run.
func PowerLogOf(run *report.Run, watts float64) string {
	var text strings.Builder
	text.WriteString("time,watts\n")
	first, last := run.Kernels[0].Repetition, run.Kernels[len(run.Kernels)-1].Repetition
	spacing := first.End.Sub(first.Begin) / 50
	for at := first.Begin.Add(-time.Second); at.Before(last.End.Add(time.Second)); at = at.Add(spacing) {
		fmt.Fprintf(&text, "%s,%g\n", at.UTC().Format(time.RFC3339Nano), watts)
	}
	return text.String()
}

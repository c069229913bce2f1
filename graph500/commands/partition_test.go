package commands_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/partition"
	"graph500/report"
)

// All policies in one table, in every format.
func TestPartition(t *testing.T) {
	dir := t.TempDir()
	table := programtest.Succeed(t, dir, "partition", "-scale=9", "-policy=all", "-out=out").Stdout
	for _, p := range partition.Policies() {
		if strings.Contains(table, "| "+p.Name()+" |") == p.Extra() {
			t.Errorf("%s in %s", p.Name(), table)
		}
	}
	for _, f := range report.PartitionFormats() {
		if text, err := os.ReadFile(filepath.Join(dir, "out", f.File)); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", f.File, err)
		}
	}
	if files := testinput.Contents(t, filepath.Join(dir, "out")); len(files) > 0 {
		t.Errorf("parts of one of several policies: %v", slices.Collect(maps.Keys(files)))
	}
	one := testinput.Counted(t, programtest.Succeed(t, dir, "partition", "-scale=9", "-policy=GVC,fennel-eb-hybrid,contiguous-hdrf", "-format=csv", "-threads=1").Stdout)
	if len(one) != 3 || one[0] != one[1] || !strings.Contains(one[2], "contiguous-hdrf") {
		t.Error(one)
	}
}

// The parts of a single policy are read again and checked; another policy takes their masters.
func TestPartitionFiles(t *testing.T) {
	dir := t.TempDir()
	text := "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 6\n2 1\n3 2\n4 3\n5 4\n9 1\n7 7\n"
	if err := os.WriteFile(filepath.Join(dir, "g.mtx"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, input := range [][]string{{"-scale=10", "-threshold=30", "-arc-weight=2", "-row-weight=5"}, {"-graph=g.mtx"}} {
		for _, policy := range []string{"fennel-eb-cartesian", "hvc", "contiguous-hdrf"} {
			out := fmt.Sprint(policy, i)
			programtest.Succeed(t, dir, slices.Concat([]string{"partition", "-parts=4", "-policy=" + policy, "-out=" + out}, input)...)
			if r := programtest.Succeed(t, dir, "partition", "-check="+out); !strings.Contains(r.Stdout, "every figure is right") {
				t.Error(r)
			}
			masters := filepath.Join(out, "vertices.part.4")
			given := out + "-given"
			programtest.Succeed(t, dir, slices.Concat([]string{"partition", "-parts=4", "-policy=cartesian", "-masters=" + masters, "-out=" + given}, input)...)
			programtest.Succeed(t, dir, "partition", "-check="+given)
			if policy == "fennel-eb-cartesian" && !maps.Equal(testinput.Contents(t, filepath.Join(dir, out)), testinput.Contents(t, filepath.Join(dir, given))) {
				t.Error("other parts with the same masters")
			}
		}
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "partition", "-scale=10", "-out=hvc0"), 1, "already holds parts, such as part-0.gr: choose another directory")
}

// A wrong byte or figure is found.
func TestPartitionCheckFinds(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "partition", "-scale=6", "-parts=3", "-policy=contiguous-hybrid", "-threshold=10", "-out=p")
	path := func(name string) string { return filepath.Join(dir, "p", name) }
	for _, c := range []struct {
		file   string
		change func(text []byte) []byte
		want   string
	}{
		{"part-1.gr", func(b []byte) []byte { return b[:len(b)-8] }, "part-1.gr: ends within the neighbours"},
		{"part-1.gr", func(b []byte) []byte { b[0] = 2; return b }, "part-1.gr: ends within the neighbours"},
		{"part-1.gr", func(b []byte) []byte { b[len(b)-5] = 200; return b }, " is out of range, the graph has "},
		{"part-1.gr", func(b []byte) []byte { b[32+7] = 1; return b }, "part-1.gr: the neighbours of vertex 0 "},
		{"part-2.labels", func(b []byte) []byte { b[1] = 1; return b }, "part-2.labels: entry 0 is label"},
		{"part-2.labels", func(b []byte) []byte { return b[:len(b)-8] }, "part 2: "},
		{"part-0.labels", func(b []byte) []byte { b[0], b[8] = b[8], b[0]; return b }, "flag -check: p: "},
		{"vertices.part.3", func(b []byte) []byte { return b[:len(b)-2] }, "there are masters of 63 vertices of 64"},
		{"vertices.part.3", func(b []byte) []byte { b[20] = '7'; return b }, "line 11: there is no part 7, they are 0..2"},
		{"vertices.part.3", func(b []byte) []byte { b[20] = 'x'; return b }, `line 11: "x" is not the number of a part`},
		{report.PartitionJSONFile, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"cut": `, `"cut": 1`, 1)) }, "cut is "},
		{report.PartitionJSONFile, func(b []byte) []byte { return b[:50] }, report.PartitionJSONFile},
	} {
		before, err := os.ReadFile(path(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(c.file), c.change(slices.Clone(before)), 0o644); err != nil {
			t.Fatal(err)
		}
		programtest.Refused(t, programtest.Run(t, dir, nil, "partition", "-check=p"), 1, c.want)
		if err := os.WriteFile(path(c.file), before, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	programtest.Succeed(t, dir, "partition", "-check=p")
	var of report.Partitioning
	text, err := os.ReadFile(path(report.PartitionJSONFile))
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil || of.Parts != 3 || len(of.Policies) != 1 || of.Policies[0].Policy != "contiguous-hybrid" {
		t.Errorf("%+v (%v)", of, err)
	}
}

func TestPartitionRefusals(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"short.part": "0\n1\n", "loops.txt": "0 0\n3 3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"-policy=hybird", 2, `flag -policy: there is no "hybird"`},
		{"-policy=contiguos-hybrid", 2, "the nearest is contiguous-hybrid"},
		{"-parts=0", 2, "flag -parts: 0 is not in 1..64"},
		{"-parts=65", 2, "flag -parts: 65 is not in 1..64"},
		{"-parts=-1", 2, "flag -parts: -1 is not in 1..64"},
		{"-threshold=-1", 2, "flag -threshold"},
		{"-threshold=5000000000", 2, "flag -threshold: 5000000000 is not in 0..4294967295"},
		{"-rounds=0", 2, "flag -rounds: 0 is not in "},
		{"-arc-weight=0", 2, "flags -row-weight and -arc-weight: one must be above 0"},
		{"-scale=4,5", 2, "flag -scale: a partitioning has one scale"},
		{"-strategy=default", 2, "flag -strategy does not go with partition"},
		{"-format=official", 2, `flag -format: there is no "official"`},
		{"more", 2, `unexpected argument "more"`},
		{"-masters=", 2, "flag -masters: the name is empty"},
		{"-masters=none -scale=4", 1, "flag -masters: none: no such file or directory"},
		{"-masters=short.part -scale=4", 1, "flag -masters: short.part has 2 lines, and the graph 16 vertices"},
		{"-masters=short.part -scale=1 -parts=1", 1, "flag -masters: short.part: line 2: there is no part 1, they are 0..0 (-parts)"},
		{"-masters=short.part -scale=1 -policy=contiguous-hybrid", 2, `it names a rule for arcs only, and there is no "contiguous-hybrid"`},
		{"-graph=loops.txt -out=o", 1, "the graph has no edge between two vertices"},
		{"-check=none", 1, "flag -check: none/partition.json: no such file or directory"},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"partition"}, strings.Fields(c.args)...)...), c.status, c.want)
	}
	if files := testinput.Contents(t, filepath.Join(dir, "o")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
	if r := programtest.Succeed(t, dir, "partition", "-scale=2", "-parts=7"); !strings.Contains(r.Stderr, "7 parts of ") {
		t.Error(r.Stderr)
	}
	if r := programtest.Succeed(t, dir, "partition", "-scale=6", "-parts=7", "-policy=cvc"); !strings.Contains(r.Stderr, "7 is a prime") {
		t.Error(r.Stderr)
	}
}

package scripts

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var include = regexp.MustCompile(`(?m)^\s*#\s*include\s+"([^"]+)"`)

// sources adds to all a file of a folder and the files that it includes in quotation
// marks, recursively.
func sources(t *testing.T, folder, file string, all map[string]bool) {
	t.Helper()
	if all[file] {
		return
	}
	all[file] = true
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range include.FindAllStringSubmatch(string(text), -1) {
		sources(t, folder, filepath.Join(filepath.Dir(file), m[1]), all)
	}
}

// counts reports whether a subject has a counted form.
func counts(sources map[string]bool) bool {
	counted, several := false, false
	for file := range sources {
		counted = counted || filepath.Base(file) == "counted.cuh"
		several = several || filepath.Base(file) == "peerbarrier.cuh"
	}
	return counted && !several
}

// readSums reads kernels.sum: lines of subject, sha256 and file, for sources and outputs.
// It returns the checksums by subject and file.
func readSums(t *testing.T, folder string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "compiled", "kernels.sum"))
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]map[string]string)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			t.Fatalf("kernels.sum: %q", line)
		}
		if sums[f[0]] == nil {
			sums[f[0]] = make(map[string]string)
		}
		sums[f[0]][f[2]] = f[1]
	}
	return sums
}

// The embedded files are the output of the sources of their package.
func TestCompiledKernelsBelongToTheirSources(t *testing.T) {
	folders, err := filepath.Glob("../kernels/*/compiled")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, compiled := range append(folders, "../techniques/compiled") {
		folder := filepath.Dir(compiled)
		t.Run(filepath.Base(folder), func(t *testing.T) { compiledFromSources(t, folder) })
	}
}

func compiledFromSources(t *testing.T, folder string) {
	sums := readSums(t, folder)
	all, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	embedded := make(map[string]bool)
	for _, path := range all {
		file := filepath.Base(path)
		subject := strings.TrimSuffix(file, ".cu")
		want := make(map[string]bool)
		sources(t, folder, file, want)
		outputs := []string{subject + ".ptx", subject + ".cubin"}
		if counts(want) {
			outputs = append(outputs, subject+".counted.ptx")
		}
		for _, file := range outputs {
			want[file], embedded[file] = true, true
		}
		for file := range want {
			path := filepath.Join(folder, file)
			if embedded[file] {
				path = filepath.Join(folder, "compiled", file)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Errorf("%v: run make kernels", err)
				continue
			}
			sum := sha256.Sum256(data)
			if sums[subject][file] != fmt.Sprintf("%x", sum) {
				t.Errorf("%s changed after %s was compiled: run make kernels", file, subject)
			}
		}
		if n := len(sums[subject]); n != len(want) {
			t.Errorf("kernels.sum names %d files of %s, its source %d: run make kernels", n, subject, len(want))
		}
		delete(sums, subject)
	}
	for subject := range sums {
		t.Errorf("kernels.sum names %s, which has no source: run make kernels", subject)
	}
	for _, pattern := range []string{"*.ptx", "*.cubin"} {
		files, err := filepath.Glob(filepath.Join(folder, "compiled", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !embedded[filepath.Base(file)] {
				t.Errorf("%s has no source: remove it", file)
			}
		}
	}
}

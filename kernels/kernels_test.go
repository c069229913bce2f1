package kernels

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

// sources adds a file and all that it includes by name in quotation marks.
func sources(t *testing.T, file string, all map[string]bool) {
	t.Helper()
	if all[file] {
		return
	}
	all[file] = true
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range include.FindAllStringSubmatch(string(text), -1) {
		sources(t, filepath.Join(filepath.Dir(file), m[1]), all)
	}
}

// What is embedded must come from the sources beside it. kernels.sum says what
// each subject was compiled from and to: lines of subject, sha256 and file.
func TestCompiledKernelsBelongToTheirSources(t *testing.T) {
	text, err := os.ReadFile("kernels.sum")
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]map[string]string) // subject, file
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
	all, err := filepath.Glob("*.cu")
	if err != nil || len(all) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, file := range all {
		subject := strings.TrimSuffix(file, ".cu")
		want := map[string]bool{subject + ".ptx": true, subject + ".cubin": true}
		sources(t, file, want)
		for file := range want {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%v: run make kernels", err)
				continue
			}
			sum := sha256.Sum256(data)
			if sums[subject][file] != fmt.Sprintf("%x", sum) {
				t.Errorf("%s is not the one that %s was last compiled with: run make kernels", file, subject)
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
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if _, err := os.Stat(strings.TrimSuffix(file, filepath.Ext(file)) + ".cu"); err != nil {
				t.Errorf("%s has no source: remove it", file)
			}
		}
	}
}

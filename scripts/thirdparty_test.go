package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is a Go module that is compiled into the program, with the directories of its
// compiled packages.
type module struct {
	Path, Version, Dir string
	Main               bool
	packages           []string
}

// compiledIn returns the modules of the program on all supported systems, by path.
func compiledIn(t *testing.T) map[string]*module {
	t.Helper()
	modules := make(map[string]*module)
	for _, environment := range [][]string{
		{"GOOS=linux", "CGO_ENABLED=1", "GOFLAGS=-tags=cuda"},
		{"GOOS=linux", "CGO_ENABLED=0"},
		{"GOOS=darwin", "CGO_ENABLED=0"},
	} {
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./graph500")
		list.Dir, list.Env = "..", append(os.Environ(), environment...)
		var stderr bytes.Buffer
		list.Stderr = &stderr
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", environment, err, stderr.String())
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir    string
				Module *module
			}
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			if modules[p.Module.Path] == nil {
				modules[p.Module.Path] = p.Module
			}
			m := modules[p.Module.Path]
			m.packages = append(m.packages, p.Dir)
		}
	}
	return modules
}

// licences lists the licence files of the compiled packages: those in their directories
// and in the directories above, up to that of the module.
func (m *module) licences(t *testing.T) (files []string) {
	t.Helper()
	name := regexp.MustCompile(`(?i)^(un)?licen[sc]e|^copying|^notice`)
	looked := make(map[string]bool)
	for _, dir := range m.packages {
		for ; !looked[dir]; dir = filepath.Dir(dir) {
			looked[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				if entry.Type().IsRegular() && name.MatchString(entry.Name()) {
					files = append(files, filepath.Join(dir, entry.Name()))
				}
			}
			if dir == m.Dir {
				break
			}
		}
	}
	return files
}

// words normalises spaces and comment signs of a text.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n*/", r) }), " ")
}

// THIRD_PARTY.md contains the licences of everything compiled in, and no others.
func TestThirdPartyLicences(t *testing.T) {
	const advice = "THIRD_PARTY.md is out of date (make third-party)"
	text := words(readThirdParty(t))
	modules := compiledIn(t)
	if len(modules) < 10 {
		t.Fatalf("only %d modules are compiled in", len(modules))
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		files := m.licences(t)
		if len(files) == 0 {
			t.Errorf("%s has no licence file", path)
		}
		for _, file := range files {
			licence, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, words(string(licence))) {
				t.Errorf("%s: the text of %s is missing", advice, file)
			}
		}
	}
	for _, want := range []string{
		"The FreeType Project LICENSE",                    // the licence of freetype refers to it
		"SIL OPEN FONT LICENSE Version 1.1",               // of the embedded fonts
		"the runtime ~~~ Copyright 2009 The Go Authors. ", // of Go itself
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing", advice, want)
		}
	}

	seen := make(map[string]bool)
	for line := range strings.Lines(readThirdParty(t)) {
		heading, ok := strings.CutPrefix(line, "## ")
		if !ok {
			continue
		}
		name, version, _ := strings.Cut(strings.TrimSpace(heading), " ")
		if name == "Go" || name == "NVIDIA" || name == "Observable" {
			continue
		}
		path := ""
		for candidate := range modules {
			if name == candidate || strings.HasPrefix(name, candidate+"/") {
				path = candidate
			}
		}
		switch {
		case path == "":
			t.Errorf("%s: %s is not compiled in", advice, name)
		case modules[path].Version != version:
			t.Errorf("%s: %s is compiled in at %s, not %s", advice, path, modules[path].Version, version)
		}
		seen[path] = true
	}
	for path := range modules {
		if !seen[path] {
			t.Errorf("%s: %s is missing", advice, path)
		}
	}
}

func readThirdParty(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page of the leaderboard contains scripts of others, whose banners name them.
func TestLicenceOfPageLibrary(t *testing.T) {
	licence, err := os.ReadFile("../leaderboard/page/library/LICENSE.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(words(readThirdParty(t)), words(string(licence))) {
		t.Error("THIRD_PARTY.md lacks the licences of the page's library (make third-party)")
	}
	for file, want := range map[string]string{
		"d3.min.js":       `// https://d3js.org v(\S+) Copyright`,
		"plot.umd.min.js": `// @observablehq/plot v(\S+) Copyright`,
	} {
		script, err := os.ReadFile("../leaderboard/page/library/" + file)
		if err != nil {
			t.Fatal(err)
		}
		version := regexp.MustCompile(want).FindSubmatch(script)
		if version == nil || !strings.Contains(words(string(licence)), " "+string(version[1])) {
			t.Errorf("%s: LICENSE.txt does not name its version %q", file, version)
		}
	}
}

// The compiled kernels contain code of CUB.
func TestLicenceOfCUB(t *testing.T) {
	text := readThirdParty(t)
	if !strings.Contains(text, "\n## NVIDIA CUB 1.17.2\n") || !strings.Contains(text, "Neither the name of the NVIDIA CORPORATION nor the") {
		t.Error("THIRD_PARTY.md lacks the licence of CUB (make third-party)")
	}
	header, err := os.ReadFile("../build/cuda/include/cub/cub.cuh")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("CUDA's headers are not here (make fetch-cuda)")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, licence, _ := strings.Cut(string(header), "Redistribution and use")
	licence, _, _ = strings.Cut(licence, "***")
	if !strings.Contains(words(text), words(licence)) {
		t.Error("THIRD_PARTY.md has another licence of CUB than its header (make third-party)")
	}
}

// Code of others in the repository would need its licence, too.
func TestCudaCodeOfOthers(t *testing.T) {
	known := []string{"cstddef", "cstdint", "cuda_bf16.h", "cuda_fp16.h"} // declarations and intrinsics of the compiler
	include := regexp.MustCompile(`(?m)^#include <([^>]+)>`)
	sources := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "build" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(file); ext != ".cu" && ext != ".cuh" {
			return nil
		}
		sources++
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, match := range include.FindAllStringSubmatch(string(source), -1) {
			if header := match[1]; !strings.HasPrefix(header, "cub/") && !slices.Contains(known, header) {
				t.Errorf("%s includes <%s>: is its licence in THIRD_PARTY.md?", file, header)
			}
		}
		return nil
	})
	if err != nil || sources == 0 {
		t.Errorf("%d sources, %v", sources, err)
	}
}

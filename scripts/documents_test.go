package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fenced block of README.md and docs/ says after its fence what it is:
//
//	sh run [PROGRAM ...]    commands that a test runs, where the programs are installed
//	sh not run: REASON      commands that it cannot run
//	text                    no commands
type block struct {
	file string
	line int
	info string
	text string
}

// programs returns what a block that is run needs, or why it is not run. Commands that are
// neither are an error.
func (b block) programs() (needs []string, reason, problem string) {
	if b.info == "text" {
		return nil, "no commands", ""
	}
	if reason, found := strings.CutPrefix(b.info, "sh not run: "); found {
		return nil, reason, ""
	}
	if words := strings.Fields(b.info); len(words) > 1 && words[0] == "sh" && words[1] == "run" {
		return words[2:], "", ""
	}
	return nil, "", "the block is neither `sh run`, `sh not run: REASON` nor `text`"
}

// blocks returns the fenced blocks of a document.
func blocks(file, text string) (list []block) {
	fence := regexp.MustCompile("^ *(```+|~~~+) *(.*)$")
	var open string
	for i, line := range strings.Split(text, "\n") {
		match := fence.FindStringSubmatch(line)
		switch {
		case match != nil && open == "":
			open = match[1]
			list = append(list, block{file: file, line: i + 1, info: strings.TrimSpace(match[2])})
		case match != nil && match[1] == open && match[2] == "":
			open = ""
		case open != "":
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

func TestBlocks(t *testing.T) {
	list := blocks("a.md", "text\n```sh run awk  x\none\ntwo\n```\n~~~\n```\n~~~\n```sh not run: no\n```\n```run\n```\n```text\n```\n")
	if len(list) != 5 || list[0].line != 2 || list[0].text != "one\ntwo\n" || list[1].text != "```\n" {
		t.Fatalf("%+v", list)
	}
	for i, want := range []string{"awk x||", "||the", "|no|", "||the", "|no commands|"} {
		needs, reason, problem := list[i].programs()
		if got := strings.Join(needs, " ") + "|" + reason + "|" + problem; !strings.HasPrefix(got, want) || problem == "" && got != want {
			t.Errorf("%q: %s", list[i].info, got)
		}
	}
}

// smaller replaces scales from 16 on, and the repetitions of benchmarks: whether a command is right
// does not depend on them.
func smaller(commands string) string {
	commands = regexp.MustCompile(`-scale=(1[6-9]|2\d)\b`).ReplaceAllString(commands, "-scale=12")
	return strings.ReplaceAll(commands, "go test -bench", "go test -benchtime=1x -bench")
}

// Every command of README.md and docs/ runs, on smaller graphs, in a copy of the repository, or
// says why it is not run. Blocks of one document run in their order, in one directory.
func TestDocumentedCommands(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	files = append([]string{"../README.md"}, files...)
	var repository string
	if !testing.Short() {
		repository = filepath.Join(t.TempDir(), "copy")
		copySources(t, repository)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(filepath.Base(file), string(text)) {
			needs, reason, problem := b.programs()
			switch {
			case problem != "":
				t.Errorf("%s:%d: %s", b.file, b.line, problem)
			case reason == "" && !testing.Short():
				runBlock(t, repository, b, needs)
			}
		}
	}
}

// runBlock runs the commands of a block, as by a user whose home directory is empty.
func runBlock(t *testing.T, repository string, b block, needs []string) {
	t.Helper()
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s:%d: not run: %v", b.file, b.line, err)
			return
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", smaller(b.text))
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(repository, "home"),
		"PATH="+filepath.Join(repository, "build")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GRAPH500_CUDA=no", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s:%d: %v\n%s\n%s", b.file, b.line, err, b.text, out)
	}
}

package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Two builds of one tree in two directories are the same byte for byte. With the GPU engine,
// the program starts on every machine.
func TestReproducibleBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	headers, _ := exec.Command("./cuda-headers.sh").Output() // none: without the GPU engine
	environment := []string{"CUDA_HOME=" + filepath.Dir(strings.TrimSpace(string(headers)))}
	var files []string
	var programs [][]byte
	for _, name := range []string{"one", "another and longer"} {
		dir := filepath.Join(t.TempDir(), name)
		copySources(t, dir)
		if _, errs, status := run(t, command(dir, "scripts/build.sh", environment)); status != 0 {
			t.Fatal(errs)
		}
		files = append(files, filepath.Join(dir, "build", "graph500"))
		program, err := os.ReadFile(files[len(files)-1])
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
	}
	if !bytes.Equal(programs[0], programs[1]) {
		t.Errorf("programs of %d and %d bytes differ", len(programs[0]), len(programs[1]))
	}
	if len(headers) > 0 {
		checkOneBinary(t, files[0])
	}
}

// copySources copies the files of the repository that are or could be in a commit.
func copySources(t *testing.T, dir string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	list.Dir = ".."
	files, err := list.Output()
	if err != nil {
		t.Skipf("no list of the sources: %v", err)
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			continue // deleted, but not yet in a commit
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(file, ".sh") {
			mode = 0o755
		}
		write(t, filepath.Join(dir, file), string(text), mode)
	}
}

// Package mpitest starts programs over ranks in tests, with the MPI libraries of this
// machine.
package mpitest

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standard is the source of a library with the binary interface of MPI 5.
//
//go:embed testdata/standard.c
var standard string

// Library is an MPI library with its launcher.
type Library struct {
	Name      string
	launcher  string
	flags     []string
	variables []string
}

// Libraries returns the libraries of this machine: Open MPI, MPICH and, if there is a C
// compiler, a library with the binary interface of MPI 5. In CI all of them must be
// there. Elsewhere the test is skipped if there is none.
func Libraries(t *testing.T) (found []Library) {
	t.Helper()
	asRoot := []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
	shared := []string{"--oversubscribe", "--bind-to", "none"}
	if path, err := exec.LookPath("mpirun.openmpi"); err == nil {
		found = append(found, Library{"Open MPI", path, shared, asRoot})
		if built, err := buildStandard(t); err == nil {
			found = append(found, Library{"MPI 5", path, shared, append(asRoot, "GRAPH500_MPI="+built)})
		} else {
			t.Logf("no MPI 5 interface: %v", err)
		}
	}
	if path, err := exec.LookPath("mpirun.mpich"); err == nil {
		found = append(found, Library{"MPICH", path, nil, nil})
	}
	if os.Getenv("CI") == "true" && len(found) < 3 {
		t.Fatalf("only %d MPI libraries: install openmpi-bin, mpich and gcc", len(found))
	}
	if len(found) == 0 {
		t.Skip("no MPI library (openmpi-bin, mpich)")
	}
	return found
}

// buildStandard builds the library with the binary interface of MPI 5.
func buildStandard(t *testing.T) (path string, err error) {
	path = filepath.Join(t.TempDir(), "libmpi_abi.so.0")
	compiler := exec.Command("gcc", "-shared", "-fPIC", "-o", path, "-x", "c", "-", "-ldl")
	compiler.Stdin = strings.NewReader(standard)
	if out, err := compiler.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// Command returns the command that starts a program over ranks. The end of ctx kills the
// launcher.
func (l Library) Command(ctx context.Context, ranks int, program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, l.launcher, append(append(append([]string{}, l.flags...), "-n", fmt.Sprint(ranks), program), args...)...)
	c.Env = append(os.Environ(), l.variables...)
	return c
}

// Run runs a command, which need not be one of Command. mpirun of Open MPI 4 can wait for itself (in
// PMIx_server_finalize) after it has ended the ranks: a launcher whose processes have all ended 5 s
// ago is killed.
func Run(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go killWithoutRanks(c.Process, ended)
	return c.Wait()
}

// killWithoutRanks kills a launcher that outlives its processes, unless it has ended.
func killWithoutRanks(launcher *os.Process, ended <-chan struct{}) {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for begun, idle := false, 0; idle < 20; {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		switch alive := hasLivingChild(launcher.Pid); {
		case alive:
			begun, idle = true, 0
		case begun:
			idle++
		}
	}
	_ = launcher.Kill()
}

// hasLivingChild reports whether a process has a child that is no zombie.
func hasLivingChild(pid int) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, _ := os.ReadFile(file)        // or it has ended meanwhile
		i := bytes.LastIndexByte(stat, ')') // the name before it may have any bytes
		if f := bytes.Fields(stat[i+1:]); len(f) > 1 && string(f[0]) != "Z" && string(f[1]) == fmt.Sprint(pid) {
			return true
		}
	}
	return false
}

package scripts

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkOneBinary requires that a program with the GPU engine starts on every machine: it is not
// linked with the driver, and prints in one line why it selects the CPU engine or cannot use a GPU.
func checkOneBinary(t *testing.T, program string) {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if !strings.HasPrefix(l, "libc.") && !strings.HasPrefix(l, "ld-linux") && !strings.HasPrefix(l, "libdl.") &&
			!strings.HasPrefix(l, "libpthread.") && !strings.HasPrefix(l, "libresolv.") {
			t.Errorf("linked with %s", l)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if regexp.MustCompile(`^cu[A-Z]`).MatchString(s.Name) {
			t.Errorf("the dynamic symbol %s", s.Name)
		}
	}

	// Drivers that the loader finds before the driver of this machine: a file that is
	// not a library; a driver without a device, or with a device that cannot run the
	// kernels; a driver that is too old.
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "libcuda.so.1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fake := t.TempDir()
	compile := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(fake, "libcuda.so.1"), "../device/driver/testdata/fake.c")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name, libraries string
		environment     []string
		want            string
	}{
		{"no driver", broken, nil, "no NVIDIA driver"},
		{"no driver, all symbols bound at once", broken, []string{"LD_BIND_NOW=1"}, "no NVIDIA driver"},
		{"no device", fake, []string{"FAKE_INIT=100"}, "no NVIDIA GPU"},
		{"old device", fake, []string{"FAKE_VERSION=13000", "FAKE_DEVICES=1", "FAKE_COMPUTE=7"}, "compute capability 8.0 or later"},
		{"old driver", fake, []string{"FAKE_VERSION=11040", "FAKE_DEVICES=1"}, "driver is too old"},
	} {
		environment := append([]string{"LD_LIBRARY_PATH=" + c.libraries}, c.environment...)
		for _, engine := range []string{"cpu", "auto"} {
			out, errs, status := run(t, command(".", program, environment, "-engine="+engine, "-scale=8"))
			if status != 0 || !strings.Contains(out, "harmonic_mean_TEPS") {
				t.Errorf("%s: -engine=%s: status %d\n%s", c.name, engine, status, errs)
			}
		}
		out, errs, status := run(t, command(".", program, environment, "-engine=gpu", "-scale=8"))
		if status == 0 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: -engine=gpu: status %d\n%s%s", c.name, status, out, errs)
		}
	}
}

// The GPU engine is built if there is cuda.h and not GRAPH500_CUDA=no. A program without
// that engine is rebuilt when there is cuda.h.
func TestBuildWithHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program twice")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	repository := filepath.Join(t.TempDir(), "copy") // a path that the go command passes to the C compiler
	if err := os.Rename(newRepository(t), repository); err != nil {
		t.Fatal(err)
	}
	toolkit := t.TempDir()
	write(t, filepath.Join(toolkit, "include", "cuda.h"), "", 0o644)
	with, without := []string{"CUDA_HOME=" + toolkit}, []string{"CUDA_HOME=" + toolkit, "GRAPH500_CUDA=no"}

	build := func(environment []string, engines, message string) {
		t.Helper()
		_, errs, status := run(t, command(repository, "scripts/build.sh", environment))
		if status != 0 || !strings.Contains(errs, message) {
			t.Fatalf("status %d\n%s", status, errs)
		}
		if got, err := os.ReadFile(filepath.Join(repository, "build", "engines")); err != nil || string(got) != engines+"\n" {
			t.Errorf("engines %q: %v", got, err)
		}
	}
	stale := func(environment []string, want bool) {
		t.Helper()
		if _, errs, status := run(t, command(repository, "scripts/build.sh", environment, "--stale")); (status == 0) != want {
			t.Errorf("%q: status %d\n%s", environment, status, errs)
		}
	}
	build(without, "cpu", "without the GPU engine: GRAPH500_CUDA=no")
	stale(without, false)
	stale(with, true)
	build(with, "cpu gpu", "headers of "+toolkit+"/include")
	stale(with, false)
	stale(without, true)
}

//go:build cuda

package driver

import (
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/cu"
)

// Load has one result per process, and the dynamic loader finds the driver by
// LD_LIBRARY_PATH. The tests therefore run the test executable again: with this
// variable set, it performs the named act and exits.
const actVariable = "GRAPH500_DRIVER_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(actVariable) {
	case "":
		os.Exit(m.Run())
	case "load":
		printResult(Load())
	case "launch":
		printResult(launches())
	case "graph":
		printResult(launchGraph())
	case "missing":
		printResult(errors.Join(Load(), Code(cu.DestroyEvent(&cu.Event{}))))
	}
	os.Exit(0)
}

// printResult prints the error, or ok, and exits.
func printResult(err error) {
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
	} else {
		os.Stdout.WriteString("ok\n")
	}
	os.Exit(0)
}

// launches launches kernels on the fake driver with placeholder handles.
func launches() error {
	if err := Load(); err != nil {
		return err
	}
	function, stream := addresses()
	args := []uint64{1, 1 << 63, 0x0123456789abcdef, 4, 5, 6, 7, 8, 9, 10}
	return errors.Join(
		Launch(cu.CUContext{}, function, false, 3, 6, 9, stream, args),
		Launch(cu.CUContext{}, function, true, 132, 1024, 49152, stream, args),
		AllowShared(function, 100000))
}

// addresses returns placeholder handles of a kernel and a stream.
func addresses() (cu.Function, cu.Stream) {
	f, s := uint64(0x1111), uint64(0x2222)
	return *(*cu.Function)(unsafe.Pointer(&f)), *(*cu.Stream)(unsafe.Pointer(&s))
}

// launchGraph prepares a launch graph, launches it, adds a kernel, launches it again and
// closes it twice.
func launchGraph() error {
	if err := Load(); err != nil {
		return err
	}
	function, stream := addresses()
	var g LaunchGraph
	var errs []error
	done := func(call string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", call, err))
		} else if call != "" {
			errs = append(errs, fmt.Errorf("%s without an error", call))
		}
	}
	done(g.Prepare(cu.CUContext{}, function, 132, 1024, 49152, stream, 2))
	if len(errs) == 0 {
		done(g.Launch(1<<63, 5))
		done(g.Then(function, 4, 5, 6))
		done(g.Launch(6, 7))
	}
	done(g.Close())
	done(g.Close())
	return errors.Join(errs...)
}

// run runs the test executable with an act and a library folder.
func run(t *testing.T, act, libraries string, environment ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Env = append(os.Environ(), actVariable+"="+act, "LD_LIBRARY_PATH="+libraries)
	c.Env = append(c.Env, environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", act, err, out)
	}
	return string(out)
}

//go:embed testdata/fake.c
var fakeSource string

// fake compiles the fake driver into a new folder. It needs a C compiler, as the build does.
func fake(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command("cc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"), "-x", "c", "-")
	c.Stdin = strings.NewReader(fakeSource)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Without a driver the program still starts, even with immediate symbol binding
// (LD_BIND_NOW), and Load names the missing library.
func TestNoDriver(t *testing.T) {
	dir := t.TempDir()
	// The dynamic loader finds this empty file before any real driver and rejects it.
	if err := os.WriteFile(filepath.Join(dir, "libcuda.so.1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"LD_BIND_NOW=", "LD_BIND_NOW=1"} {
		got := run(t, "load", dir, now)
		if !strings.HasPrefix(got, "no NVIDIA driver: ") || !strings.Contains(got, "libcuda.so.1") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", now, got)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := fake(t)
	for _, c := range []struct{ init, version, devices, compute, want string }{
		{"0", "13000", "1", "8", "ok\n"},
		{"0", "11080", "8", "9", "ok\n"},
		{"100", "13000", "0", "9", "no NVIDIA GPU: cuInit: CUDA_ERROR_NO_DEVICE (100)\n"},
		{"0", "13000", "0", "9", "no NVIDIA GPU: the driver counts none\n"},
		{"0", "13000", "2", "7", "no NVIDIA GPU of compute capability 8.0 or later, which the kernels need\n"},
		{"803", "13000", "1", "9", "the NVIDIA driver does not start: cuInit: CUDA_ERROR (803)\n"},
		{"0", "11040", "1", "9", "the NVIDIA driver is too old: it is for CUDA 11.4, the kernels need CUDA 11.8 or later\n"},
	} {
		got := run(t, "load", dir, "LD_BIND_NOW=1", "FAKE_INIT="+c.init, "FAKE_VERSION="+c.version, "FAKE_DEVICES="+c.devices, "FAKE_COMPUTE="+c.compute)
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Trampolines pass every argument unchanged.
func TestLaunchArguments(t *testing.T) {
	const args = "0000000000000001 8000000000000000 0123456789abcdef 0000000000000004 0000000000000005 " +
		"0000000000000006 0000000000000007 0000000000000008 0000000000000009 000000000000000a"
	const want = "plain 0x1111 grid 3 1 1 block 6 1 1 shared 9 stream 0x2222 args " + args + "\n" +
		"cooperative 0x1111 grid 132 1 1 block 1024 1 1 shared 49152 stream 0x2222 args " + args + "\n" +
		"attribute 8 of 0x1111 is 100000\nok\n"
	if got := run(t, "launch", fake(t), "FAKE_VERSION=13000", "FAKE_DEVICES=1", "FAKE_ARGS=10"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLaunchGraph(t *testing.T) {
	const kernel = "0x1111 grid 132 1 1 block 1024 1 1 shared 49152 stream (nil) args "
	const node, closed = "node " + kernel + "0000000000000000 0000000000000000\n", "executable graph destroyed\ngraph destroyed\n"
	for _, c := range []struct{ upload, want string }{
		{"0", node +
			"set " + kernel + "8000000000000000 0000000000000005\ngraph stream 0x2222\n" +
			"node 0x1111 grid 4 1 1 block 5 1 1 shared 6 stream (nil) args\nexecutable graph destroyed\n" +
			"set " + kernel + "0000000000000006 0000000000000007\ngraph stream 0x2222\n" + closed + "ok\n"},
		{"719", node + closed + "cuGraphUpload: CUDA_ERROR (719)\n"},
	} {
		if got := run(t, "graph", fake(t), "FAKE_VERSION=13000", "FAKE_DEVICES=1", "FAKE_ARGS=2", "FAKE_UPLOAD="+c.upload); got != c.want {
			t.Errorf("upload %s: got\n%swant\n%s", c.upload, got, c.want)
		}
	}
}

// A missing entry point fails only when it is called.
func TestMissingEntryPoint(t *testing.T) {
	if got := run(t, "missing", fake(t), "FAKE_VERSION=13000", "FAKE_DEVICES=1"); got != "CUDA_ERROR (34)\n" {
		t.Errorf("%q", got)
	}
}

func TestCode(t *testing.T) {
	for want, err := range map[Result]error{2: cu.OutOfMemory, 700: Result(700), 999: errors.New("something else")} {
		if got := Code(err); got != want {
			t.Errorf("%v has the code %d", err, got)
		}
	}
}

// The executable does not depend on a driver library, and exports no symbol that
// could collide with those of a driver.
func TestProgramNamesNoDriver(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
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
		if strings.Contains(l, "cuda") || strings.Contains(l, "nvidia") {
			t.Errorf("linked with %s", l)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if driverName.MatchString(s.Name) {
			t.Errorf("the dynamic symbol %s", s.Name)
		}
	}
}

var driverName = regexp.MustCompile(`^cu[A-Z]`)

//go:embed entries.h
var entriesHeader string

// entries.h must list every entry point that the compiled gorgonia.org/cu refers to.
// The set depends on the CUDA headers at compile time.
func TestEntriesAreComplete(t *testing.T) {
	for _, tool := range []string{"go", "nm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no tool to list entry points with: %v", err)
		}
	}
	have := []string{"cuInit"} // an ordinary function in driver.c
	for _, m := range regexp.MustCompile(`(?m)^ENTRY\((\w+)\)$`).FindAllStringSubmatch(entriesHeader, -1) {
		have = append(have, m[1])
	}
	slices.Sort(have)
	if n := len(have); n != len(slices.Compact(have)) {
		t.Error("entries.h has a duplicate")
	}
	archive, err := exec.Command("go", "list", "-export", "-tags", "cuda", "-f", "{{.Export}}", "gorgonia.org/cu").Output()
	if err != nil {
		t.Skipf("gorgonia.org/cu cannot be compiled here: %v", err)
	}
	// Some members are not object files: nm fails, but only after reading the others.
	out, _ := exec.Command("nm", "-P", strings.TrimSpace(string(archive))).Output()
	needed := make(map[string]bool) // true: undefined in all members
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // name, type, ...
		if len(f) < 2 || !driverName.MatchString(f[0]) {
			continue
		}
		undefined, seen := needed[f[0]]
		needed[f[0]] = f[1] == "U" && (undefined || !seen)
	}
	maps.DeleteFunc(needed, func(_ string, undefined bool) bool { return !undefined })
	for name := range needed {
		if _, ok := slices.BinarySearch(have, name); !ok {
			t.Errorf("%s is missing in entries.h", name)
		}
	}
	if len(needed) < 100 {
		t.Errorf("only %d entry points found in the archive", len(needed))
	}
}

//go:build cuda

package nvml

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The library is loaded once a process, and the dynamic loader finds it by
// LD_LIBRARY_PATH. The tests therefore run the test executable again: with this variable
// set, it reads the board of a GPU, prints what it found and exits.
const busVariable = "GRAPH500_NVML_TEST"

func TestMain(m *testing.M) {
	if bus := os.Getenv(busVariable); bus != "" {
		fmt.Println(readBoard(bus))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readBoard describes what the library says of a board.
func readBoard(bus string) string {
	b, err := Open(bus)
	if err != nil {
		return err.Error()
	}
	c, err := b.EnergyCounter()
	if err != nil {
		return err.Error()
	}
	var values [2]uint64
	for i := range values {
		if values[i], err = c.Read(); err != nil {
			return err.Error()
		}
	}
	state, err := json.Marshal(b.State())
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s, %s: %d J after %d J; %s", c.Name, c.Part, (values[1]-values[0])/1e6, values[0]/1e6, state)
}

func run(t *testing.T, libraries, bus string, environment ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Env = append(os.Environ(), busVariable+"="+bus, "LD_LIBRARY_PATH="+libraries)
	c.Env = append(c.Env, environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// fake compiles the fake library into a new folder.
func fake(t *testing.T, options ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	if _, err := os.Stat("testdata/fake.c"); err != nil {
		t.Skip("no sources here")
	}
	dir := t.TempDir()
	args := append([]string{"-Wall", "-Werror", "-shared", "-fPIC", "-o", filepath.Join(dir, "libnvidia-ml.so.1"), "testdata/fake.c"}, options...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Without the library the program still starts, even with immediate symbol binding, and
// the error names the library.
func TestNoLibrary(t *testing.T) {
	dir := t.TempDir()
	// The dynamic loader finds this empty file before any real library and rejects it.
	if err := os.WriteFile(filepath.Join(dir, "libnvidia-ml.so.1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"LD_BIND_NOW=", "LD_BIND_NOW=1"} {
		got := run(t, dir, "0000:1b:00.0", now)
		if !strings.HasPrefix(got, "no NVML: ") || !strings.Contains(got, "libnvidia-ml.so.1") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", now, got)
		}
	}
	if got := run(t, fake(t, "-DWITHOUT_ENERGY"), "0000:1b:00.0"); !strings.HasPrefix(got, "no NVML: ") || !strings.Contains(got, "nvmlDeviceGetTotalEnergyConsumption") {
		t.Errorf("an old library: %q", got)
	}
}

func TestBoard(t *testing.T) {
	dir := fake(t)
	const energy = "Fake GPU 0000:1b:00.0, GPU boards only: 7 J after 1099511641 J; "
	state := func(sm, memory int, watts float64, ecc, slowed, processes string) string {
		return fmt.Sprintf(`{"SMClock":%d,"MemoryClock":%d,"PowerLimit":%v,"ECC":%s,"Slowed":%s,"Processes":%s}`, sm, memory, watts, ecc, slowed, processes)
	}
	for _, c := range []struct {
		bus         string
		environment []string
		want        string
	}{
		{"0000:1b:00.0", []string{"LD_BIND_NOW=1"}, energy + state(1980, 3201, 700.5, "true", "null", "0")},
		{"0000:1b:00.0", []string{"FAKE_NVML_STATE=3"}, energy + state(0, 0, 0, "null", "null", "null")},
		{"0000:1b:00.0", []string{"FAKE_NVML_REASONS=103", "FAKE_NVML_PROCESSES=2"}, energy + state(1980, 3201, 700.5, "true", `["power limit","heat"]`, "2")},
		{"0000:1b:00.0", []string{"FAKE_NVML_REASONS=392"}, energy + state(1980, 3201, 700.5, "true", `["hardware","power brake"]`, "0")},
		{"0000:1c:00.0", nil, "GPU 0000:1c:00.0: nvmlDeviceGetHandleByPciBusId: Not Found (6)"},
		{"0000:1b:00.0", []string{"FAKE_NVML_INIT=9"}, "nvmlInit: Unknown Error (9)"},
		{"0000:1b:00.0", []string{"FAKE_NVML_ENERGY=3"}, "Fake GPU 0000:1b:00.0: nvmlDeviceGetTotalEnergyConsumption: Not Supported (3)"},
		{"0000:1b:00.0", []string{"FAKE_NVML_ENERGY=4"}, "Fake GPU 0000:1b:00.0: nvmlDeviceGetTotalEnergyConsumption: Insufficient Permissions (4)"},
	} {
		if got := run(t, dir, c.bus, c.environment...); got != c.want+"\n" {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The executable does not depend on the library.
func TestProgramNamesNoLibrary(t *testing.T) {
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
		if strings.Contains(l, "nvidia") {
			t.Errorf("linked with %s", l)
		}
	}
}

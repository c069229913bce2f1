package energy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// zones returns a machine with powercap zones: directory to name. Each has counted 5 µJ.
func zones(names map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for zone, name := range names {
		for file, text := range map[string]string{"name": name, "energy_uj": "5", "max_energy_range_uj": "65532610987"} {
			files[powercap+"/"+zone+"/"+file] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	return files
}

func TestPackageCounters(t *testing.T) {
	machine := zones(map[string]string{
		"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram",
		"intel-rapl:1": "package-1", "intel-rapl:2": "psys", "intel-rapl-mmio:0": "package-0",
	})
	machine[powercap+"/intel-rapl/enabled"] = &fstest.MapFile{Data: []byte("1\n")}
	machine[powercap+"/intel-rapl-mmio:0/energy_uj"].Data = []byte("7\n")
	counters, err := PackageCounters(machine)
	if err != nil || len(counters) != 2 {
		t.Fatalf("%v %v", counters, err)
	}
	for i, c := range counters {
		value, err := c.Read()
		if c.Part != Packages || c.Name != []string{"package-0", "package-1"}[i] || c.Range != 65532610987 || value != 5 || err != nil {
			t.Errorf("%+v: %d, %v", c, value, err)
		}
	}
	delete(machine, powercap+"/intel-rapl:1/energy_uj")
	if _, err := counters[1].Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a zone that disappeared: %v", err)
	}
}

func TestNoPackageCounters(t *testing.T) {
	broken := zones(map[string]string{"amd-rapl:0": "package-0"})
	broken[powercap+"/amd-rapl:0/energy_uj"].Data = []byte("many\n")
	for _, c := range []struct {
		machine fs.FS
		want    string
	}{
		{fstest.MapFS{}, "there is no counter of a processor package in /sys/class/powercap"},
		{zones(map[string]string{"intel-rapl:0": "psys"}), "there is no counter of a processor package"},
		{broken, `/sys/class/powercap/amd-rapl:0/energy_uj holds "many" and no number`},
	} {
		if counters, err := PackageCounters(c.machine); err == nil || len(counters) > 0 || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, not %s", counters, err, c.want)
		}
	}
}

// denied is a file system whose counters may not be read.
type denied struct{ fs.FS }

func (d denied) Open(name string) (fs.File, error) {
	if filepath.Base(name) == "energy_uj" {
		return nil, &fs.PathError{Op: "open", Path: "/" + name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

// Only root may read the counters of most machines. The zones are links.
func TestNoPermission(t *testing.T) {
	root := t.TempDir()
	zone := filepath.Join(root, "sys/devices/intel-rapl:0")
	if err := os.MkdirAll(zone, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, file := range zones(map[string]string{"intel-rapl:0": "package-0"}) {
		if err := os.WriteFile(filepath.Join(zone, filepath.Base(name)), file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, powercap), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../devices/intel-rapl:0", filepath.Join(root, powercap, "intel-rapl:0")); err != nil {
		t.Fatal(err)
	}
	if counters, err := PackageCounters(os.DirFS(root)); err != nil || len(counters) != 1 {
		t.Fatalf("%v %v", counters, err)
	}
	_, err := PackageCounters(denied{os.DirFS(root)})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "/sys/class/powercap/intel-rapl:0/energy_uj: permission denied (an administrator can allow it") {
		t.Errorf("%v", err)
	}
}

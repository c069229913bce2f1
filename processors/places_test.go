package processors

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// twoSockets is a machine with 2 sockets of 8 processors. Each cache of the third
// level belongs to 4 processors.
func twoSockets() fstest.MapFS {
	f := fstest.MapFS{cpuDir + "/online": file("0-15")}
	for n := range 16 {
		dir := fmt.Sprintf("%s/cpu%d/", cpuDir, n)
		f[dir+"topology/physical_package_id"] = file(fmt.Sprint(n / 8))
		for index, level := range []string{"1", "1", "2", "3"} {
			cache := fmt.Sprintf("%scache/index%d/", dir, index)
			f[cache+"level"] = file(level)
			f[cache+"shared_cpu_list"] = file(fmt.Sprint(n))
		}
		f[dir+"cache/index3/shared_cpu_list"] = file(fmt.Sprintf("%d-%d", n/4*4, n/4*4+3))
		f[dir+"cache/uevent"] = file("")
	}
	return f
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(f fstest.MapFS)
		allowed []int
		want    []Place
	}{
		{"one of each cache", func(fstest.MapFS) {}, []int{0, 3, 4, 8, 15}, []Place{{0, 0}, {0, 0}, {0, 4}, {1, 8}, {1, 12}}},
		{"offline", func(f fstest.MapFS) {
			f[cpuDir+"/online"] = file("0-2,8-15")
			delete(f, cpuDir+"/cpu3/topology/physical_package_id")
		}, []int{2, 3, 4, 9}, []Place{{0, 0}, {1, 8}}},
		{"no list of those online", func(f fstest.MapFS) { delete(f, cpuDir+"/online") }, []int{5, 12}, []Place{{0, 4}, {1, 12}}},
		{"hidden caches", func(f fstest.MapFS) {
			for name := range f {
				if strings.Contains(name, "/cache/") {
					delete(f, name)
				}
			}
		}, []int{1, 9}, []Place{{0, -1}, {1, -1}}},
	} {
		f := twoSockets()
		c.change(f)
		if got, err := Places(f, c.allowed); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	for name, change := range map[string]func(f fstest.MapFS){
		"no socket":        func(f fstest.MapFS) { delete(f, cpuDir+"/cpu1/topology/physical_package_id") },
		"strange socket":   func(f fstest.MapFS) { f[cpuDir+"/cpu1/topology/physical_package_id"] = file("one") },
		"strange online":   func(f fstest.MapFS) { f[cpuDir+"/online"] = file("all") },
		"no level":         func(f fstest.MapFS) { delete(f, cpuDir+"/cpu1/cache/index3/level") },
		"no shared list":   func(f fstest.MapFS) { delete(f, cpuDir+"/cpu1/cache/index3/shared_cpu_list") },
		"strange sharing":  func(f fstest.MapFS) { f[cpuDir+"/cpu1/cache/index3/shared_cpu_list"] = file("") },
		"strange level":    func(f fstest.MapFS) { f[cpuDir+"/cpu1/cache/index3/level"] = file("L3") },
		"online is a path": func(f fstest.MapFS) { f[cpuDir+"/online"] = group() },
	} {
		f := twoSockets()
		change(f)
		if got, err := Places(f, []int{0, 1}); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPlacesHere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the files in /sys")
	}
	root := os.DirFS("/")
	allowed, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	if places, err := Places(root, allowed.Numbers); err != nil || len(places) != runtime.NumCPU() {
		t.Errorf("%v, %v", places, err)
	}
}

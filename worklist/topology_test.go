package worklist

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"graph500/processors"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }

// twoSockets is a machine with 2 sockets of 8 processors. Each last-level cache
// belongs to 4 processors. This process may use those of the given list.
func twoSockets(allowed string) fstest.MapFS {
	f := fstest.MapFS{
		"proc/self/status":              file("Name:\tx\nCpus_allowed_list:\t" + allowed),
		"sys/devices/system/cpu/online": file("0-15"),
	}
	for n := range 16 {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/", n)
		f[dir+"topology/physical_package_id"] = file(fmt.Sprint(n / 8))
		f[dir+"cache/index0/level"] = file("3")
		f[dir+"cache/index0/shared_cpu_list"] = file(fmt.Sprintf("%d-%d", n/4*4, n/4*4+3))
	}
	return f
}

func TestLocate(t *testing.T) {
	far := func(from, near int, others ...int) []source {
		return []source{{from, SameGroup}, {near, SameSocket}, {others[0], OtherSocket}, {others[1], OtherSocket}}
	}
	fourGroups := [][]source{far(0, 1, 2, 3), far(1, 0, 2, 3), far(2, 3, 0, 1), far(3, 2, 0, 1)}
	one := [][]source{{{0, SameGroup}}}
	for _, c := range []struct {
		name    string
		allowed string
		change  func(f fstest.MapFS)
		workers int
		group   []int
		sources [][]source
	}{
		{"whole machine", "0-15", nil, 16, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, fourGroups},
		{"fewer workers", "0-15", nil, 6, []int{0, 0, 0, 0, 1, 1}, [][]source{{{0, SameGroup}, {1, SameSocket}}, {{1, SameGroup}, {0, SameSocket}}}},
		{"more workers", "3-4", nil, 5, []int{0, 1, 0, 1, 0}, [][]source{{{0, SameGroup}, {1, SameSocket}}, {{1, SameGroup}, {0, SameSocket}}}},
		{"part of the machine", "2,9-10,14", nil, 4, []int{0, 1, 1, 2},
			[][]source{{{0, SameGroup}, {1, OtherSocket}, {2, OtherSocket}}, {{1, SameGroup}, {2, SameSocket}, {0, OtherSocket}}, {{2, SameGroup}, {1, SameSocket}, {0, OtherSocket}}}},
		{"offline processors", "0-15", func(f fstest.MapFS) { f["sys/devices/system/cpu/online"] = file("0,8") }, 3, []int{0, 1, 0},
			[][]source{{{0, SameGroup}, {1, OtherSocket}}, {{1, SameGroup}, {0, OtherSocket}}}},
		{"no socket", "0-15", func(f fstest.MapFS) { delete(f, "sys/devices/system/cpu/cpu9/topology/physical_package_id") }, 3, []int{0, 0, 0}, one},
		{"none online", "0-15", func(f fstest.MapFS) { f["sys/devices/system/cpu/online"] = file("20") }, 2, []int{0, 0}, one},
		{"no status", "0-15", func(f fstest.MapFS) { delete(f, "proc/self/status") }, 9, make([]int, 9), one},
		{"no files", "0-15", func(f fstest.MapFS) { clear(f) }, 1, []int{0}, one},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := twoSockets(c.allowed)
			if c.change != nil {
				c.change(f)
			}
			got := Locate(f, c.workers)
			if !slices.Equal(got.group, c.group) || !slices.EqualFunc(got.sources, c.sources, slices.Equal) {
				t.Errorf("%+v, want %v, %v", got, c.group, c.sources)
			}
		})
	}
}

// TestLocateHere checks that every worker on this machine reaches every group.
func TestLocateHere(t *testing.T) {
	got := Locate(os.DirFS("/"), 7)
	for _, group := range got.group {
		if len(got.sources[group]) != len(got.sources) || got.sources[group][0] != (source{group, SameGroup}) {
			t.Errorf("%+v", got)
		}
	}
}

// TestSourcesReachEveryGroup draws machines. Each group takes chunks from every group
// once, the nearest first.
func TestSourcesReachEveryGroup(t *testing.T) {
	for sockets := 1; sockets < 5; sockets++ {
		for caches := 1; caches < 5; caches++ {
			var places []processors.Place
			for i := range sockets * caches {
				places = append(places, processors.Place{Socket: i % sockets, Cache: i})
			}
			topology := newTopology(places, 2*len(places))
			for group, sources := range topology.sources {
				var seen []int
				for _, s := range sources {
					seen = append(seen, s.group)
					want := OtherSocket
					if s.group == group {
						want = SameGroup
					} else if s.group%sockets == group%sockets {
						want = SameSocket
					}
					if s.distance != want {
						t.Fatalf("%d sockets, %d caches: %v from group %d", sockets, caches, s, group)
					}
				}
				if !slices.IsSortedFunc(sources, func(a, b source) int { return int(a.distance - b.distance) }) {
					t.Fatalf("group %d: %v", group, sources)
				}
				if slices.Sort(seen); len(slices.Compact(seen)) != len(places) || len(sources) != len(places) {
					t.Fatalf("group %d: %v", group, sources)
				}
			}
		}
	}
}

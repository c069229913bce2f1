//go:build cuda

package device

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"graph500/cluster"
)

// alone returns a team of one rank, without a check of the devices.
func alone(devices ...*Device) *Team { return &Team{world: cluster.Alone(), devices: devices} }

// TestTogether requires that different devices work at the same time and that one device
// works in order, up to its first error.
func TestTogether(t *testing.T) {
	for _, processors := range []int{1, 8} { // threads wait awake only if there are enough
		t.Run(fmt.Sprintf("%d processors", processors), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			testTogether(t)
		})
	}
}

func testTogether(t *testing.T) {
	a, b := new(Device), new(Device)
	devices := []*Device{a, b, a, b, a}
	var both sync.WaitGroup
	both.Add(2)
	order := make([][]int, 2) // by device
	note := func(k int) { order[k%2] = append(order[k%2], k) }
	team := alone(devices...)
	if err := team.Together(func(k int) error {
		if k < 2 {
			both.Done()
			both.Wait()
		}
		note(k)
		return nil
	}); err != nil || !slices.Equal(order[0], []int{0, 2, 4}) || !slices.Equal(order[1], []int{1, 3}) {
		t.Errorf("%v, %v", order, err)
	}
	order = make([][]int, 2)
	second, first := errors.New("second"), errors.New("first")
	if err := team.Together(func(k int) error {
		note(k)
		return []error{nil, first, second, nil, nil}[k]
	}); err != first || !slices.Equal(order[0], []int{0, 2}) || !slices.Equal(order[1], []int{1}) {
		t.Errorf("%v, %v", order, err)
	}
	if err := team.Close(); err != nil {
		t.Error(err)
	}
	if err := alone().Together(nil); err != nil {
		t.Error(err)
	}
}

// A device of several has the same OS thread in all calls, also after it has slept. One device
// has the thread of the caller.
func TestThreadsOfDevices(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	threads := func(team *Team) []int {
		ids := make([]int, len(team.devices))
		if err := team.Each(func(i int) error { ids[i] = unix.Gettid(); return nil }); err != nil {
			t.Error(err)
		}
		return ids
	}
	a, b := new(Device), new(Device)
	team := alone(a, b, a)
	defer func() { _ = team.Close() }()
	first := threads(team)
	for _, pause := range []time.Duration{0, 5 * spinTime, 0} {
		time.Sleep(pause)
		if again := threads(team); !slices.Equal(again, first) || first[0] != first[2] || first[0] == first[1] {
			t.Errorf("threads %v, then %v", first, again)
		}
	}
	for _, team := range []*Team{alone(a), alone(a, a)} {
		if ids := threads(team); slices.ContainsFunc(ids, func(id int) bool { return id != unix.Gettid() }) {
			t.Errorf("thread %d calls, %v work", unix.Gettid(), ids)
		}
	}
}

// Much work in short succession ends on all devices, each call before the next one begins.
func TestEachInTurn(t *testing.T) {
	for _, processors := range []int{1, 2, 8} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			team := alone(new(Device), new(Device), new(Device))
			counts := make([]int, 3)
			for n := range 3000 {
				if err := team.Each(func(i int) error { counts[i]++; return nil }); err != nil || !slices.Equal(counts, []int{n + 1, n + 1, n + 1}) {
					t.Fatalf("%d processors, call %d: %v, %v", processors, n, counts, err)
				}
			}
			if err := team.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
}

// ranksOf calls work for each rank of a team with that many fake devices a rank.
func ranksOf(ranks, each int, work func(team *Team)) {
	var all sync.WaitGroup
	for _, w := range cluster.InProcess(ranks) {
		team := &Team{ctx: context.Background(), world: w}
		for range each {
			team.devices = append(team.devices, &Device{arena: arena{base: uint64(1000 * (w.Rank() + 1))}})
			team.arenas = append(team.arenas, make([]uint64, ranks*each))
		}
		all.Go(func() { work(team) })
	}
	all.Wait()
}

// Devices are numbered through the ranks, and a step ends on all of them at the same time.
func TestTeamOfRanks(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {3, 1}, {2, 2}} {
		var done atomic.Int64
		ranksOf(c[0], c[1], func(team *Team) {
			count := c[0] * c[1]
			if team.Count() != count || team.Alone() || team.First() != team.world.Rank()*c[1] {
				t.Errorf("%v: %d devices from %d on", c, team.Count(), team.First())
			}
			var own, want []int32
			if err := team.Together(func(i int) error { done.Add(1); return nil }); err != nil || done.Load() != int64(count) {
				t.Errorf("%v: %d of %d are done, %v", c, done.Load(), count, err)
			}
			for i := range c[1] {
				own = append(own, int32(10*(team.First()+i)))
			}
			for k := range count {
				want = append(want, int32(10*k))
			}
			if all, err := Gather(team, own); err != nil || !slices.Equal(all, want) {
				t.Errorf("%v: gathered %v, %v", c, all, err)
			}
			sum := []int64{1, int64(team.First())}
			if err := team.Sum(sum); err != nil || sum[0] != int64(c[0]) {
				t.Errorf("%v: %v, %v", c, sum, err)
			}
		})
	}
}

// The arrays of other ranks lie in their arenas, as each device has opened them.
func TestReach(t *testing.T) {
	ranksOf(2, 2, func(team *Team) {
		var own, none []Array[uint32]
		for i, d := range team.devices {
			own = append(own, Array[uint32]{d, "test", d.arena.base + uint64(8*(team.First()+i)), 7})
			none = append(none, Array[uint32]{})
			for k := range 4 {
				team.arenas[i][k] = uint64(1_000_000*(i+1) + 10_000*k)
			}
		}
		seen, err := Reach(team, own)
		if err != nil {
			t.Error(err)
			return
		}
		kept := make([][4]Array[uint32], 2)
		if err := Introduce(team, func(i int) Array[uint32] { return own[i] }, func(i, k int) *Array[uint32] { return &kept[i][k] }); err != nil {
			t.Error(err)
			return
		}
		based, err := Reach(team, []Array[uint32]{own[0].Based(5000), own[1].Based(5000)})
		if err != nil {
			t.Error(err)
			return
		}
		nothing, err := Reach(team, none)
		if err != nil {
			t.Error(err)
			return
		}
		for i, d := range team.devices {
			for k := range 4 {
				want := Array[uint32]{d, "test", uint64(1_000_000*(i+1) + 10_000*k + 8*k), 7}
				if at := k - team.First(); at >= 0 && at < 2 {
					want = own[at]
				}
				if seen[i][k] != want || kept[i][k] != want || based[i][k] != want.Based(5000) || nothing[i][k] != (Array[uint32]{}) {
					t.Errorf("device %d sees %+v, %+v and %+v of device %d, want %+v", team.First()+i, seen[i][k], based[i][k], nothing[i][k], k, want)
				}
			}
		}
	})
}

func TestTooManyTogether(t *testing.T) {
	if _, err := NewTeam(t.Context(), cluster.Alone(), make([]*Device, MostTogether+1), PeerAccess); err == nil {
		t.Error("no error")
	}
}

//go:build cuda

package exchange

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/nccl"
	"graph500/engine"
)

// openDevices opens that many GPUs, which other libraries can use too. With fewer it skips the
// test.
func openDevices(t *testing.T, count int) (devices []*device.Device) {
	t.Helper()
	if there, err := device.Count(); err != nil || there < count {
		t.Skipf("%d GPUs, the test needs %d (%v)", there, count, err)
	}
	for ordinal := range count {
		d, err := device.Open(ordinal, device.Options{Primary: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := d.Reserve(16 << 20); err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	return devices
}

// needLibrary skips the test of NCCL without the library.
func needLibrary(t *testing.T, kind engine.Exchange) {
	t.Helper()
	if err := nccl.Load(); kind == engine.NCCLExchange && err != nil {
		t.Skip(err)
	}
}

// eachExchange runs a test with both exchanges, for ranks with one and several devices.
func eachExchange(t *testing.T, test func(ctx context.Context, x Exchange, team *device.Team) error) {
	for kind, open := range map[engine.Exchange]func(context.Context, *cluster.World, *device.Team) (Exchange, error){
		engine.HostExchange: func(ctx context.Context, w *cluster.World, team *device.Team) (Exchange, error) {
			return overHost(ctx, w, team, 3000) // several pieces
		},
		engine.NCCLExchange: OverNCCL,
	} {
		for _, c := range [][2]int{{1, 2}, {3, 1}, {2, 2}} {
			t.Run(fmt.Sprintf("%s, %d ranks with %d GPUs", kind, c[0], c[1]), func(t *testing.T) {
				needLibrary(t, kind)
				devices := openDevices(t, c[0]*c[1])
				if err := errors.Join(cluster.RunInProcess(t.Context(), c[0], func(ctx context.Context, w *cluster.World) error {
					team, err := device.NewTeam(ctx, w, devices[w.Rank()*c[1]:][:c[1]], device.Distributed)
					if err != nil {
						return err
					}
					x, err := open(ctx, w, team)
					if err != nil {
						return err
					}
					if x.Kind() != kind {
						err = fmt.Errorf("the exchange is %s", x.Kind())
					}
					if err == nil {
						err = test(ctx, x, team)
					}
					if err == nil {
						err = team.Wait()
					}
					return errors.Join(err, x.Close(), team.Close())
				})...); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// Every device gets what the others have, and its other bytes do not change.
func TestGather(t *testing.T) {
	eachExchange(t, func(ctx context.Context, x Exchange, team *device.Team) error {
		r := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
		for round := range 12 {
			const length, before = 30000, 0xA5A5
			spans, want := make([]Span, team.Count()), slices.Repeat([]uint16{before}, length)
			at, equal := r.IntN(50), r.IntN(2000)
			for k := range spans {
				spans[k] = Span{at, equal}
				if round%2 == 0 {
					spans[k].Count = r.IntN(3000) * r.IntN(2)
					at += r.IntN(9)
				}
				at += spans[k].Count
				for i := range spans[k].Count {
					want[spans[k].First+i] = uint16(r.Uint32())
				}
			}
			if err := gatherOnce(x, team, spans, want); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
}

func gatherOnce(x Exchange, team *device.Team, spans []Span, want []uint16) error {
	arrays := make([]device.Array[uint16], len(team.Devices()))
	for i, d := range team.Devices() {
		held, err := d.Take(device.Group{Arrays: []device.Declared{device.Of(&arrays[i], "test array", uint64(len(want)))}})
		if err != nil {
			return err
		}
		own := spans[team.First()+i]
		if err := errors.Join(arrays[i].Fill(0xA5), arrays[i].Write(own.First, want[own.First:][:own.Count])); err != nil {
			return err
		}
		defer held.Free()
	}
	if err := Gather(x, arrays, spans); err != nil {
		return err
	}
	for i, a := range arrays {
		got := make([]uint16, len(want))
		if err := a.Read(0, got); err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("device %d has other elements after a gather of %v", team.First()+i, spans)
		}
	}
	return nil
}

func TestGatherRefusesWrongSpans(t *testing.T) {
	eachExchange(t, func(ctx context.Context, x Exchange, team *device.Team) error {
		arrays := make([]device.Array[byte], len(team.Devices()))
		for _, spans := range [][]Span{nil, make([]Span, team.Count()+1), slices.Repeat([]Span{{0, 1}}, team.Count()), slices.Repeat([]Span{{-1, 0}}, team.Count())} {
			if err := x.Gather(arrays, spans); err == nil {
				return fmt.Errorf("gathers %v of empty arrays", spans)
			}
		}
		return nil
	})
}

// Without memory there is no exchange, and nothing to close.
func TestOverHostWithoutMemory(t *testing.T) {
	team, err := device.NewTeam(t.Context(), cluster.Alone(), openDevices(t, 2), device.Distributed)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := overHost(t.Context(), cluster.Alone(), team, 1<<50); err == nil || x != nil {
		t.Errorf("%v, %v", x, err)
	}
}

// A rank that fails while the others gather ends them: RunInProcess ends the context of all,
// as the watch of a run does.
func TestGatherEnds(t *testing.T) {
	for kind, open := range map[engine.Exchange]func(context.Context, *cluster.World, *device.Team) (Exchange, error){engine.HostExchange: OverHost, engine.NCCLExchange: OverNCCL} {
		t.Run(string(kind), func(t *testing.T) {
			needLibrary(t, kind)
			devices, cause := openDevices(t, 2), errors.New("failed")
			begin := time.Now()
			errs := cluster.RunInProcess(t.Context(), 2, func(ctx context.Context, w *cluster.World) error {
				team, err := device.NewTeam(ctx, w, devices[w.Rank():][:1], device.Distributed)
				if err != nil {
					return err
				}
				x, err := open(ctx, w, team)
				if err != nil {
					return err
				}
				if w.Rank() == 1 {
					time.Sleep(100 * time.Millisecond)
					return errors.Join(cause, x.Close())
				}
				// NCCL that is aborted may have received anything, such as zeros.
				err = gatherOnce(x, team, []Span{{0, 10}, {10, 10}}, slices.Repeat([]uint16{0x1234}, 20))
				return errors.Join(err, x.Close())
			})
			if !errors.Is(errs[0], cause) && kind == engine.HostExchange || errs[0] == nil || time.Since(begin) > startWithin/2 {
				t.Errorf("%v after %v", errs, time.Since(begin))
			}
		})
	}
}

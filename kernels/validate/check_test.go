//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	cores "graph500/validate"
)

// TestMemory compares the memory in use with the plan, without and with deep trees, then fills
// the batch and adds one search more.
func TestMemory(t *testing.T) {
	d := devicetest.Open(t)
	for _, f := range forms(both...) {
		if f.parts {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			before := d.Free()
			withBench(t, d, f, pathGraph(1301), func(b *bench) {
				vertices, devices := uint64(b.g.n), uint64(f.devices)
				taken := func() (bytes uint64) {
					for _, share := range b.Shares {
						c := generate.Config{Count: share.Len(), Weighted: share.Weighted(), Wide: f.wide, Loaded: true}
						bytes -= engine.Peak(c.Plan(), engine.DeviceMemory)
					}
					for _, buffer := range b.Buffers {
						bytes -= (buffer.Bytes() + device.Alignment - 1) / device.Alignment * device.Alignment
					}
					for _, a := range []uint64{b.live.Parents.Bytes(), b.live.Distances.Bytes()} {
						bytes -= (a + device.Alignment - 1) / device.Alignment * device.Alignment
					}
					return bytes + before - d.Free()
				}
				plan := Plan(f.kernel, vertices, f.searches)
				for deep := 0; ; deep++ {
					if got, want := taken(), devices*engine.Peak(plan, engine.DeviceMemory); got != want {
						t.Errorf("%d deep trees: %d bytes are used, %d planned", deep, got, want)
					}
					if deep == f.searches {
						break
					}
					b.judge(t, slices.Repeat([]cores.Search{b.g.search(0)}, deep+1)...)
					if deep == 0 || f.kernel == engine.BFS { // the searches of SSSP share a table
						plan = append(plan, DeepPlan(vertices)...)
					}
				}
				k := b.Trees[0]
				for i := range f.searches + 1 {
					if err := k.Keep(0); (err == nil) != (i < f.searches) || k.Capacity() != f.searches {
						t.Errorf("search %d of %d: %v", i, k.Capacity(), err)
					}
				}
				b.drop()
			})
			if d.Free() != before {
				t.Errorf("%d bytes are free after %d", d.Free(), before)
			}
		})
	}
	if err := (*Trees)(nil).Close(); err != nil {
		t.Error(err)
	}
}

// TestOutOfMemory runs out of memory for a batch, for a part of it, and for the
// table of a deep tree, after which other trees are still validated.
func TestOutOfMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	if err := d.Reserve(1 << 20); err != nil {
		t.Fatal(err)
	}
	withBench(t, d, form{kernel: engine.BFS, devices: 1, searches: 2}, starGraph(1301), func(b *bench) {
		two := engine.Peak(Plan(engine.BFS, uint64(b.g.n), 2), engine.DeviceMemory)
		for _, room := range []uint64{0, two / 2 / device.Alignment * device.Alignment, two - device.Alignment} {
			_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-room))
			var full *device.MemoryError
			if _, err := NewTrees(d, engine.BFS, false, b.live, 2); !errors.As(err, &full) || d.Free() != room {
				t.Errorf("%d bytes are free after %d: %v", d.Free(), room, err)
			}
			free()
		}
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()))
		deep := pathGraph(b.g.n)
		b.keep(t, b.Trees[0], deep.search(0))
		var full *device.MemoryError
		if _, err := b.Check(t.Context()); !errors.As(err, &full) {
			t.Error(err)
		}
		b.drop()
		if err := b.judge(t, b.g.search(0), b.g.search(7)); err != nil {
			t.Error(err)
		}
		free()
	})
}

// TestBatchesRefused makes batches of too many vertices or searches, and without distances.
func TestBatchesRefused(t *testing.T) {
	d := devicetest.Open(t)
	live := Results{devicetest.Array[engine.Label](t, d, 9), devicetest.Array[float32](t, d, 9)}
	free := d.Free()
	if _, err := NewTrees(d, engine.SSSP, false, live, mostSearches+1); err == nil {
		t.Errorf("more than %d searches", mostSearches)
	}
	if _, err := NewTrees(d, engine.SSSP, false, Results{Parents: live.Parents}, 1); err == nil {
		t.Error("no distances")
	}
	var many device.Array[engine.Label]
	group := device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&many, "parents", maxVertices+1)}}
	if d.Free() >= group.Bytes() {
		held, err := d.Borrow(group)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewTrees(d, engine.BFS, false, Results{Parents: many}, 1); err == nil || !strings.Contains(err.Error(), "2147483649 vertices") {
			t.Errorf("trees of too many vertices: %v", err)
		}
		if err := held.Free(); err != nil {
			t.Error(err)
		}
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
}

// refuse requires that both checks of a batch return an error, which is want if that is not nil.
func refuse(t *testing.T, why string, ctx context.Context, b Batch, want error) {
	t.Helper()
	for _, check := range []func(context.Context) ([]engine.Tree, error){b.Check, b.CountEdges} {
		if facts, err := check(ctx); err == nil || len(facts) > 0 || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", why, facts, err)
		}
	}
}

// TestCheckRefused validates batches that do not fit together, with tuples that do not fit, and
// with an ended context, then a right one.
func TestCheckRefused(t *testing.T) {
	stop := errors.New("stop")
	eachForm(t, forms(both...), officialGraph(6), func(t *testing.T, b *bench) {
		right := b.g.search(b.g.Edges[0].U)
		keep := func(searches ...cores.Search) {
			b.drop()
			for i, k := range b.Trees {
				b.keep(t, k, searches[min(i, len(searches)-1)])
			}
		}
		keep(right)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		refuse(t, "ended context", ctx, b.Batch, stop)
		some := b.Batch
		some.Trees, some.Shares = nil, nil
		refuse(t, "no device", t.Context(), some, nil)
		some = b.Batch
		some.Shares = append(slices.Clone(b.Shares), b.Shares[0])
		refuse(t, "too many shares", t.Context(), some, nil)
		some.Trees = append(slices.Clone(b.Trees), b.Trees[0])
		refuse(t, "too many devices", t.Context(), some, nil)
		some = b.Batch
		d := b.Team.Devices()[0]
		other := generatetest.Load(t, d, generate.Config{Wide: !b.wide}, b.g.Tuples)
		some.Shares = append([]*generate.Tuples{other}, b.Shares[1:]...)
		refuse(t, "tuples of another width", t.Context(), some, nil)
		devicetest.Close(t, other)
		if b.kernel == engine.SSSP {
			plain := generatetest.Load(t, d, generate.Config{Wide: b.wide}, engine.Tuples{Edges: b.g.Edges})
			some.Shares = append([]*generate.Tuples{plain}, b.Shares[1:]...)
			if _, err := some.Check(t.Context()); err == nil {
				t.Error("validated without weights")
			}
			devicetest.Close(t, plain)
		}
		if b.devices > 1 {
			if b.searches > 1 {
				b.keep(t, b.Trees[1], right)
				refuse(t, "another batch", t.Context(), b.Batch, nil)
			}
			// b.live is one array for all devices, so that only copies can differ.
			if b.searches > 1 {
				keep(right, b.g.unsearched(engine.Label(right.Root)))
				refuse(t, "another tree", t.Context(), b.Batch, nil)
			}
		}
		b.drop()
		if err := b.judge(t, right); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkValidate measures the validation of searches of an official graph, one alone and, of
// SSSP, eight together. The host's search of scale 24 takes minutes.
func BenchmarkValidate(b *testing.B) {
	d := devicetest.Open(b)
	for _, f := range []form{{kernel: engine.BFS, devices: 1, searches: 1}, {kernel: engine.SSSP, devices: 1, searches: 1}, {kernel: engine.SSSP, devices: 1, searches: mostSearches}} {
		for _, scale := range []int{16, 20, 22, 24} {
			b.Run(fmt.Sprintf("%s/scale=%d", f, scale), func(b *testing.B) {
				withBench(b, d, f, officialGraph(scale), func(bench *bench) {
					s := bench.g.search(bench.g.Edges[0].U)
					for range f.searches {
						bench.keep(b, bench.Trees[0], s)
					}
					for b.Loop() {
						if _, err := bench.Check(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*f.searches), "ns/search")
					bench.drop()
				})
			})
		}
	}
}

//go:build cuda

package construct

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// TestWide builds small, random and official graphs from tuples with labels of 48 bits and
// compares them with those from 32 bits.
func TestWide(t *testing.T) {
	d := devicetest.Open(t)
	if err := LoadWide(d); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(31, 32))
	graphs := smallWeighted()
	graphs["random"] = weightedCase{3000, devicetest.RandomTuples(r, 3000)}
	graphs["official"] = weightedCase{1 << 10, devicetest.OfficialTuples(10)}
	for name, c := range graphs {
		t.Run(name, func(t *testing.T) {
			tuples := weigh(r, c.edges)
			wide := generatetest.Load(t, d, generate.Config{Wide: true}, tuples)
			narrow := loaded(t, d, tuples)
			want := constructFrom(t, d, c.vertices, narrow, LeastGroups, mostHubs)
			for _, groups := range []int{LeastGroups, 17} {
				if got := constructFrom(t, d, c.vertices, wide, groups, mostHubs); !got.equal(want) {
					t.Errorf("%d groups: another graph", groups)
				}
			}
			constructWeighted(t, d, c.vertices, wide, LeastGroups).check(t, c.vertices, tuples)
			devicetest.Close(t, wide, narrow)
		})
	}
}

// TestWideParts builds the graph from generated tuples, whole and in parts.
func TestWideParts(t *testing.T) {
	d := devicetest.Open(t)
	spec := devicetest.Official(9)
	want := construct(t, d, spec.Vertices(), devicetest.OfficialTuples(9), mostHubs)
	for _, room := range []uint64{1 << 10, 1 << 40} {
		tuples := generatetest.Generate(t, d, spec, generate.Config{Capacity: room, Wide: true})
		got := constructFrom(t, d, spec.Vertices(), tuples, LeastGroups, mostHubs)
		got.info.Regenerated = false
		if !got.equal(want) {
			t.Errorf("room for %d tuples: another graph", room)
		}
		devicetest.Close(t, tuples)
	}
}

// TestWideOutOfRange: a label whose low 32 bits are those of a vertex.
func TestWideOutOfRange(t *testing.T) {
	d := devicetest.Open(t)
	for _, high := range []uint32{1, 1 << 15, 1 << 16, 1 << 31} {
		tuples := generatetest.Load(t, d, generate.Config{Wide: true}, engine.Tuples{Edges: []engine.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 5, V: 6}}})
		if err := tuples.Each(t.Context(), func(part generate.Part) error {
			return device.As[engine.Edge48](part.Edges).Write(1, []engine.Edge48{{ULow: 3, VLow: 4, High: high}})
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := Construct(t.Context(), d, 10, tuples, LeastGroups, mostHubs); err == nil {
			t.Errorf("high bits %#x are accepted", high)
		}
		devicetest.Close(t, tuples)
	}
}

// wideShares copies tuples with labels of 48 bits to the device as that many shares.
func wideShares(t *testing.T, d *device.Device, tuples engine.Tuples, number int) []*generate.Tuples {
	t.Helper()
	return generatetest.LoadShares(t, slices.Repeat([]*device.Device{d}, number), generate.Config{Wide: true}, tuples)
}

// TestWideTogether builds graphs of both kernels from shares with labels of 48 bits.
func TestWideTogether(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(33, 34))
	for i := range devicetest.Sized(40, 10) {
		vertices, edges := randomTuples(r, 14, 14)
		if i == 0 {
			vertices, edges = 1<<11, devicetest.OfficialTuples(11)
		}
		want := construct(t, d, vertices, edges, mostHubs)
		tuples := weigh(r, edges)
		for _, weighted := range []bool{false, true} {
			number, groups := 1+r.IntN(4), 1+r.IntN(8)
			if !weighted {
				shares := wideShares(t, d, engine.Tuples{Edges: edges}, number)
				graphs := constructTogether(t, d, vertices, shares, groups, mostHubs)
				if !join(t, vertices, graphs).equal(want) {
					t.Errorf("%d shares of %d tuples and %d vertices in %d groups: another graph", number, len(edges), vertices, groups)
				}
				closeBackward(t, graphs)
				closeBackward(t, shares)
				continue
			}
			shares := wideShares(t, d, tuples, number)
			checkWeightedParts(t, d, vertices, tuples, shares, groups, nil)
			closeBackward(t, shares)
		}
	}
}

// TestWideTogetherOutOfRange: a label whose low 32 bits are those of a vertex, in a share.
func TestWideTogetherOutOfRange(t *testing.T) {
	d := devicetest.Open(t)
	for _, high := range []uint32{1, 1 << 31} {
		shares := wideShares(t, d, engine.Tuples{Edges: []engine.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 5, V: 6}, {U: 1, V: 7}}}, 2)
		if err := shares[1].Each(t.Context(), func(part generate.Part) error {
			return device.As[engine.Edge48](part.Edges).Write(1, []engine.Edge48{{ULow: 1, VLow: 7, High: high}})
		}); err != nil {
			t.Fatal(err)
		}
		_, err := ConstructTogether(t.Context(), devicetest.Team(t, []*device.Device{d, d}), 10, shares, LeastGroups, mostHubs)
		if err == nil || !strings.Contains(err.Error(), "graph: tuple 3 ") {
			t.Errorf("high bits %#x: %v", high, err)
		}
		closeBackward(t, shares)
	}
}

// TestWideDistributed builds the ranges of two devices from views of all tuples.
func TestWideDistributed(t *testing.T) {
	d := devicetest.Open(t)
	spec := devicetest.Official(11)
	edges := devicetest.OfficialTuples(11)
	want := construct(t, d, spec.Vertices(), edges, 0)
	for _, loaded := range []bool{false, true} {
		var owned, all []*generate.Tuples
		for k := range 2 {
			first, count := generate.ShareOf(spec.Tuples(), 2, k)
			if loaded {
				tuples := generatetest.Load(t, d, generate.Config{Wide: true}, engine.Tuples{Edges: edges})
				owned, all = append(owned, tuples), append(all, tuples)
				continue
			}
			share := generatetest.Generate(t, d, spec, generate.Config{First: first, Count: count, Capacity: 5001, Wide: true, Regenerated: true})
			view, err := share.All()
			if err != nil {
				t.Fatal(err)
			}
			owned, all = append(owned, share), append(all, view)
		}
		graphs, err := ConstructDistributed(t.Context(), devicetest.Team(t, []*device.Device{d, d}), spec.Vertices(), all, 2)
		if err != nil {
			t.Fatal(err)
		}
		want.info.Regenerated = !loaded
		if !join(t, spec.Vertices(), graphs).equal(want) {
			t.Errorf("loaded %v: another graph", loaded)
		}
		closeBackward(t, graphs)
		closeBackward(t, owned)
	}
}

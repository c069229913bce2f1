//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/validate"
)

// peersOf returns what a searcher has on the GPUs of this process; nil for one of other engines
// or without labels of 48 bits.
func peersOf(s engine.Searcher) (p *PeersSearcher) {
	switch s := s.(type) {
	case *PeersSearcher:
		p = s
	case *DistributedSearcher:
		p = &s.PeersSearcher
	}
	if p == nil || !p.engine.job.Wide {
		return nil
	}
	return p
}

// spoilWide fills what a search with labels of 48 bits clears itself.
func spoilWide(s engine.Searcher) error {
	p := peersOf(s)
	if p == nil {
		return nil
	}
	for _, r := range p.members {
		if err := r.parents.Fill(0); err != nil {
			return err
		}
	}
	return nil
}

// compareWide requires, after a search with labels of 48 bits, that the tuples have them too,
// and that the results of each GPU are the parents of its range.
func compareWide(s engine.Searcher) error {
	p := peersOf(s)
	if p == nil {
		return nil
	}
	for i, r := range p.members {
		labels := p.engine.ranges[p.engine.team.First()+i]
		wide, narrow := make([]int64, labels.End-labels.First), make([]engine.Local, labels.End-labels.First)
		if r.wide.parents.Len() != len(wide) || !p.engine.members[i].tuples.IsWide() {
			return fmt.Errorf("%d parents of 64 bits for %v", r.wide.parents.Len(), labels)
		}
		if err := errors.Join(r.wide.parents.Read(0, wide), r.parents.Read(int(labels.First), narrow)); err != nil {
			return err
		}
		reached := 0
		for v, parent := range narrow {
			want := int64(parent)
			if parent == engine.None {
				want = -1
			} else {
				reached++
			}
			if wide[v] != want {
				return fmt.Errorf("GPU %d: vertex %d has parent %d, want %d", i, int(labels.First)+v, wide[v], want)
			}
		}
		if reached == len(narrow) {
			return fmt.Errorf("GPU %d: a search reaches all of %v", i, labels)
		}
	}
	return nil
}

func TestWidePeersOnOfficialGraphs(t *testing.T) { searchOfficial(t, true) }

func TestWidePeersOnLoadedGraphs(t *testing.T) { searchLoadedByPeers(t, true) }

func TestWidePeersPaths(t *testing.T) { searchOfficialPaths(t, true) }

func TestWidePeersPathsOnLoadedGraphs(t *testing.T) { searchLoadedPaths(t, true) }

func TestWidePeersPlanCoversWhatIsTaken(t *testing.T) {
	takePlanned(t, true)
	takePlannedPaths(t, true)
}

func TestWideRanks(t *testing.T) {
	for _, limit := range []uint64{0, minimalMemory} {
		searchGenerated(t, startPeersRank, limit, limit > 0, true)
	}
}

func TestWideRanksOnLoadedGraphs(t *testing.T) { searchLoaded(t, startPeersRank, true) }

func TestWideRanksRefuseWrongTrees(t *testing.T) { refuseWrong(t, startPeersRank, false, true) }

// The plan has 12 bytes for a tuple, and 8 for a parent of a GPU's range.
func TestWidePeersPlan(t *testing.T) {
	e := startPeers(t, 2, 0, regeneratedPart)
	job := engine.Job{Vertices: 1 << 12, Tuples: 1 << 16, Strategies: []engine.Strategy{named("default"), shortestPaths()}, Searches: 1}
	bytesOf := func(name string) (bytes uint64) {
		for _, a := range e.Plan(job) {
			if a.Name == name && a.Place == engine.DeviceMemory {
				bytes += a.Bytes
			}
		}
		return bytes
	}
	for _, job.Loaded = range []bool{false, true} {
		job.Wide = false
		tuples := bytesOf("tuples")
		job.Wide = true
		if got := bytesOf("tuples with labels of 48 bits"); got != tuples/8*12 || tuples != 8<<15 || bytesOf("tuples") != 0 {
			t.Errorf("loaded %v: %d bytes of tuples, with 32 bits %d", job.Loaded, got, tuples)
		}
		for _, k := range engine.Kernels() {
			if got := bytesOf(parentsName(k) + " of 64 bits"); got != 8<<11 {
				t.Errorf("loaded %v: %d bytes of %s", job.Loaded, got, parentsName(k))
			}
		}
	}
}

// No wrong entry of the results of 64 bits of any GPU of any rank is valid because of its low
// 32 bits.
func TestWrongWideParentsOfRanks(t *testing.T) { refuseWrongWide(t, startPeersRank, false) }

func refuseWrongWide(t *testing.T, start starter, regenerated bool) {
	t.Helper()
	eachDivision(t, func(t *testing.T, ranks, each int) {
		spec := devicetest.Official(12)
		tuples := devicetest.OfficialTuples(spec.Scale)
		_, _, want := onCPU(t, int(spec.Vertices()), tuples)
		want.Regenerated = regenerated
		r := startRanks(t, start, ranks, each, 0, regeneratedPart)
		r.wide = true
		r.build(t, spec, want, tuples)
		root := engine.Vertex(tuples[0].U)
		for k := range ranks * each {
			for _, change := range []func(int64) int64{
				func(p int64) int64 { return p | 1<<32 }, func(p int64) int64 { return p | 1<<47 }, func(p int64) int64 { return p | -1<<32 },
				func(int64) int64 { return -2 },
			} {
				texts, vertex := make([]string, ranks), -1
				r.do(t, func(rank int) error {
					s := peersOf(r.searchers[rank])
					defer s.Drop()
					if err := errors.Join(r.searchers[rank].Clear(), r.searchers[rank].Search(t.Context(), root)); err != nil {
						return err
					}
					if k/each == rank { // its GPU has the wrong entry
						parents := s.members[k%each].wide.parents
						host := make([]int64, parents.Len())
						if err := parents.Read(0, host); err != nil {
							return err
						}
						at := slices.IndexFunc(host, func(p int64) bool { return p >= 0 && p != int64(root) })
						vertex = int(s.engine.ranges[k].First) + at
						if err := parents.Write(at, []int64{change(host[at])}); err != nil {
							return err
						}
					}
					if err := r.searchers[rank].Keep(); err != nil {
						return err
					}
					_, err := r.searchers[rank].Check(t.Context())
					var broken *validate.Error
					if errors.As(err, &broken) {
						texts[rank] = err.Error()
					}
					return nil
				})
				wanted := fmt.Sprintf("vertex %d has a parent of more than 32 bits", vertex)
				if slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, wanted) }) {
					t.Errorf("GPU %d, %s: %q", k, wanted, texts)
				}
			}
		}
	})
}

// GPUs that do not access each other's memory.
func TestWideDistributed(t *testing.T) {
	t.Run("host", func(t *testing.T) { searchGenerated(t, startHost, minimalMemory, true, true) })
	t.Run("nccl", func(t *testing.T) {
		needNCCL(t)
		searchGenerated(t, startNCCL, minimalMemory, true, true)
	})
}

func TestWideDistributedOnLoadedGraphs(t *testing.T) { searchLoaded(t, startHost, true) }

func TestWideDistributedRefuseWrongTrees(t *testing.T) { refuseWrong(t, startHost, true, true) }

func TestWrongWideParentsOfDistributed(t *testing.T) { refuseWrongWide(t, startHost, true) }

func TestWideDistributedPlan(t *testing.T) { planDistributed(t, true) }

//go:build cuda

package hubs

import (
	"errors"
	"math/rand/v2"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// searchCounted searches a graph from a root with the counted form, twice, and returns the profile of
// the second search, its counts and what each step read.
func (c *searchCase) searchCounted(t *testing.T, p plan, root engine.Label) (engine.Profile, engine.Counts, []device.HostReads) {
	t.Helper()
	p.counted = true
	s, err := newSearch(c.team, c.graphs, c.parents, images, p)
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, s)
	for range 2 { // the second counts nothing of the first
		c.clear(t)
		if err := s.Search(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		if err := c.checkTree(root, c.tree(t)); err != nil {
			t.Fatalf("%s, root %d: %v", c.name, root, err)
		}
	}
	profile, err := s.Profile()
	counts, errCounts := s.Counts()
	reads, errReads := s.members[0].module.HostReads()
	if errors.Join(err, errCounts, errReads) != nil {
		t.Fatal(err, errCounts, errReads)
	}
	return profile, counts, reads
}

// The counted form counts what a search reads of host memory, step by step: nothing if no list is
// there, and in a top-down level each piece of the lists of its frontier once if all are (the level before the dense pass
// reads a piece at the border of two ranges for both).
func TestHostReads(t *testing.T) {
	team := devicetest.Team(t, []*device.Device{devicetest.Open(t)})
	r := rand.New(rand.NewPCG(37, 9))
	const vertices = 1 << 9
	tuples := devicetest.OfficialTuples(9)
	for _, g := range []struct {
		name    string
		hubs    int
		placed  placement
		topDown bool // all vertices are hubs, all levels top-down
	}{{"none", 20, noneOnHost, false}, {"lists of hubs", vertices, allOnHost, true}, {"all lists", 20, allOnHost, false}} {
		t.Run(g.name, func(t *testing.T) {
			c := newSearchCaseOf(t, team, r, g.name, vertices, tuples, g.hubs, 64, func(*rand.Rand) placement { return g.placed })
			defer c.close(t)
			p := planSearch(team)
			if g.topDown {
				p.lastShare, p.denseShare = 1, 1
			}
			profile, counts, reads := c.searchCounted(t, p, c.connected(r, 1)[0])
			checkHostReads(t, profile, counts, reads, g.placed == allOnHost, g.topDown)
		})
	}
}

func checkHostReads(t *testing.T, p engine.Profile, counts engine.Counts, reads []device.HostReads, onHost, topDown bool) {
	t.Helper()
	var bytes, requests int64
	for i, r := range reads {
		if r.Lines > r.Sectors || r.Sectors > r.Loads || 8*r.Lines < r.Loads || 2*r.Sectors < r.Loads {
			t.Errorf("step %d: %+v", i, r)
		}
		if i >= len(p.Levels) {
			if r != (device.HostReads{}) {
				t.Errorf("step %d of %d: %+v", i, len(p.Levels), r)
			}
			continue
		}
		l := p.Levels[i]
		bytes, requests = bytes+l.HostBytes, requests+l.HostRequests
		if l.HostBytes != 32*int64(r.Sectors) || l.HostRequests != int64(r.Lines) {
			t.Errorf("step %d: %d bytes, %d requests, %+v", i, l.HostBytes, l.HostRequests, r)
		}
		if topDown && i > 0 && int64(r.Loads)*piecePlaces != l.Examined { // level 0 has no count of pieces
			t.Errorf("step %d (%s): %d pieces of host memory, %d neighbours examined", i, l.Step, r.Loads, l.Examined)
		}
	}
	if p.HostBytes != bytes || p.HostRequests != requests || counts.HostBytes != bytes || counts.HostRequests != requests || counts.Launches != 1 {
		t.Errorf("%d bytes, %d requests, counts %+v, the steps have %d and %d", p.HostBytes, p.HostRequests, counts, bytes, requests)
	}
	if (bytes > 0) != onHost {
		t.Errorf("%d bytes of host memory, with lists there: %t", bytes, onHost)
	}
}

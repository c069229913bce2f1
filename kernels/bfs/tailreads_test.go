//go:build cuda

package bfs

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// searchCounted searches with the counted form from root and returns what each level read.
func (c *searchCase) searchCounted(t *testing.T, root engine.Label) (engine.Profile, []device.HostReads) {
	t.Helper()
	plan := c.member().plan
	c.closeSearcher(t)
	c.startSearcher(t, plan, true)
	c.searchOnce(t, root)
	c.searchOnce(t, root) // counts nothing of the search before
	p, err := c.searcher.Profile()
	if err != nil {
		t.Fatal(err)
	}
	reads, err := c.member().module.HostReads()
	if err != nil {
		t.Fatal(err)
	}
	return p, reads
}

// checkTailReads searches from root. A level top-down reads the tails of its frontier once,
// and no level more than it examines. It returns the words that were read in all.
func (c *searchCase) checkTailReads(t *testing.T, root engine.Label) (words uint64) {
	t.Helper()
	p, reads := c.searchCounted(t, root)
	depth, tails := c.answerOf(root).Depths, make([]uint64, len(p.Levels)+1)
	rows := devicetest.Host(t, c.graph.ByDegree.Rows)
	for _, row := range rows {
		if d := depth[row.Label]; d >= 0 {
			tails[d] += uint64(max(row.Degree, c.graph.Prefix) - c.graph.Prefix)
		}
	}
	var sum engine.Profile
	for i, r := range reads {
		words += r.Loads
		if r.Lines > r.Sectors || r.Sectors > r.Loads || 32*r.Lines < r.Loads || 8*r.Sectors < r.Loads {
			t.Errorf("root %d, level %d: %+v", root, i, r)
		}
		if i >= len(p.Levels) {
			if r != (device.HostReads{}) {
				t.Errorf("root %d: level %d of %d: %+v", root, i, len(p.Levels), r)
			}
			continue
		}
		l := p.Levels[i]
		sum.HostBytes, sum.HostRequests = sum.HostBytes+l.HostBytes, sum.HostRequests+l.HostRequests
		if l.HostBytes != 32*int64(r.Sectors) || l.HostRequests != int64(r.Lines) {
			t.Errorf("root %d, level %d: %d bytes, %d requests, %+v", root, i, l.HostBytes, l.HostRequests, r)
		}
		if i == 0 { // every block reads a short row of the root
			continue
		}
		if l.Step == stepNames[stepTopDown] && r.Loads != tails[i] || r.Loads > uint64(l.Examined) {
			t.Errorf("root %d, level %d (%s): %d words of tails, %d examined, the tails of the frontier have %d", root, i, l.Step, r.Loads, l.Examined, tails[i])
		}
	}
	counts, err := c.searcher.Counts()
	if err != nil {
		t.Fatal(err)
	}
	if p.HostBytes != sum.HostBytes || p.HostRequests != sum.HostRequests || counts.HostBytes != p.HostBytes || counts.HostRequests != p.HostRequests {
		t.Errorf("root %d: %d bytes, %d requests, the levels have %d and %d, the counts %d and %d", root,
			p.HostBytes, p.HostRequests, sum.HostBytes, sum.HostRequests, counts.HostBytes, counts.HostRequests)
	}
	return words
}

func TestTailReads(t *testing.T) {
	d := devicetest.Open(t)
	long, vertices, roots := rowsOfManyLengths(20000)
	official := devicetest.OfficialTuples(10)
	for _, g := range []struct {
		name     string
		vertices int
		tuples   []engine.Edge
		words    uint64
		roots    []engine.Label
		reads    bool
	}{
		{"rows of many lengths", vertices, long, leastWords(vertices, long) + 10000, roots, true},
		{"official", 1 << 10, official, leastWords(1<<10, official), []engine.Label{0, 5, 17}, true},
		{"star", 2000, star(2000, 700), 2010, []engine.Label{700, 0}, false}, // all leaves find the centre bottom-up
	} {
		t.Run(g.name, func(t *testing.T) { checkTailReadsOf(t, d, g.vertices, g.tuples, g.words, g.roots, g.reads) })
	}
}

func checkTailReadsOf(t *testing.T, d *device.Device, vertices int, tuples []engine.Edge, size uint64, roots []engine.Label, reads bool) {
	c := newSplitCase(t, d, vertices, tuples, size)
	defer c.close(t)
	var words uint64
	for _, root := range roots {
		if len(c.answerOf(root).Sizes) > 1 {
			words += c.checkTailReads(t, root)
		}
	}
	if words > 0 != reads {
		t.Errorf("%d words of tails were read", words)
	}
}

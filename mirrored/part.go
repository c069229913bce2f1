// Package mirrored searches a graph that package divide has divided, one part on each rank. Masters
// have the results; mirrors tell their masters what they find (reduce), and masters tell their
// mirrors what is new (broadcast). The package does not know what a policy does.
//
// In a level of BFS, ranks look for parents of the vertices of which they have a proxy, top-down or
// bottom-up; mirrors send parents to their masters, masters tell all mirrors of new vertices. In a
// round of SSSP, ranks relax their arcs below a bound until none is left, mirrors send improved
// distances with parents to their masters, and masters to the mirrors that have arcs. A message has
// the places of proxies in an order that both sides know, as a bitmap or as a list, whichever is
// shorter.
package mirrored

import (
	"context"
	"errors"
	"sync/atomic"

	"graph500/cluster"
	"graph500/divide"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/proxies"
)

// Part is a rank's part of a graph, connected with the others.
type Part struct {
	*divide.Part
	Labels []engine.Label // by local number
	Info   engine.Graph

	world *cluster.World
	team  *parallel.Team
	sync  *proxies.Sync
}

// Settings of a division for searches: those of package divide that have no flag in a run.
const (
	threshold = 1000 // largest degree of a row that is not a hub
	rounds    = 100  // of the choice of masters
)

// Divide divides a graph by a policy into a part for each rank, and connects them. info describes
// the graph. All ranks call it.
func Divide(ctx context.Context, w *cluster.World, team *parallel.Team, share divide.Share, policy partition.Policy, info engine.Graph) (p *Part, err error) {
	props := partition.Props{Parts: w.Size(), Threshold: threshold, ArcWeight: 1}
	rows, err := divide.Read(ctx, w, team, share, &props)
	if err != nil {
		return nil, err
	}
	d := divide.New(w, team, rows, props, policy, rounds)
	if err = d.Run(ctx); err == nil {
		info.Arcs = int64(rows.Arcs) // without repeated ones
		p = &Part{Part: d.TakeParts()[0], Info: info, world: w, team: team}
		err = p.connect(ctx, rows.Labels)
	}
	if err = errors.Join(err, d.Close(), rows.Close()); err != nil && p != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, err
}

// connect connects the part with those of other ranks. labels are those of all rows.
func (p *Part) connect(ctx context.Context, labels []engine.Label) (err error) {
	if p.Labels, err = memory.Alloc[engine.Label](len(p.Rows)); err != nil {
		return err
	}
	for i, row := range p.Rows {
		p.Labels[i] = labels[row]
	}
	p.sync, err = proxies.New(ctx, p.world, p.Masters, p.First, p.Rows, p.reads)
	return err
}

// reads reports whether a proxy has arcs.
func (p *Part) reads(local uint32) bool { return p.Offsets[local] < p.Offsets[local+1] }

// find returns the local number of the master of a label; false if this rank does not have it.
func (p *Part) find(label engine.Label) (uint32, bool) {
	i, n := 0, p.Masters
	for i < n {
		if middle := (i + n) / 2; p.Labels[middle] < label {
			i = middle + 1
		} else {
			n = middle
		}
	}
	return uint32(i), i < p.Masters && p.Labels[i] == label
}

// Close frees the memory.
func (p *Part) Close() error { return errors.Join(memory.Free(p.Labels), p.Part.Close()) }

// words returns the number of words of a bitmap of all proxies.
func (p *Part) words() int { return (p.Proxies() + 63) / 64 }

// set sets a bit of a bitmap that other workers change, too. It reports whether it was not set.
func set(words []uint64, i uint32) bool {
	word, bit := &words[i>>6], uint64(1)<<(i&63)
	return atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0
}

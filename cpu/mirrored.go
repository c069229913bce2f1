package cpu

import (
	"context"
	"errors"

	"graph500/cluster"
	"graph500/divide"
	"graph500/engine"
	"graph500/memory"
	"graph500/mirrored"
	"graph500/parallel"
	"graph500/partition"
)

// A mirroredSearch searches over ranks on the parts into which a policy divides the graph. The
// masters have the results at the end of a search; deliver brings them to the owners of the
// vertices, who validate them.
type mirroredSearch struct {
	policy   partition.Policy
	in       *input
	part     *mirrored.Part
	kernel   partSearch
	wide     []int64     // parents of the masters if results have 64 bits, -1 for an unvisited one
	outgoing [][]reached // by rank
	incoming *cluster.Exchanger[reached]
}

// partSearch is a search of one kernel on a part.
type partSearch interface {
	Search(ctx context.Context, root engine.Label) error
	Profile() engine.Profile
	Results(lo, hi int, yield func(master int, parent engine.Label, distance float32))
	Close() error
}

// reached is the result of a vertex.
type reached struct {
	parent   int64
	vertex   engine.Label
	distance float32
}

// deliverPiece is the number of results that a rank sends in one round.
const deliverPiece = 1 << 20

// newMirrored returns what makes the method for a policy.
func newMirrored(policy partition.Policy) func() method {
	return func() method { return &mirroredSearch{policy: policy} }
}

// arrays declares the memory as if all parts were equal. Division and searches have it one after
// the other; package divide checks what its parts really need.
func (s *mirroredSearch) arrays(z size) memory.Group {
	const perArc = 4 + 4 // destination, weight for SSSP
	allRows := z.allRows()
	proxies := min(allRows, z.rows+z.arcs)
	g := memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Grown("rows and parts during the division", 2*perArc*z.arcs+(8+8+4+1)*allRows),
		memory.Grown("part of the graph", perArc*z.arcs+(8+4+4)*proxies),
		memory.Grown("results and bitmaps of all proxies", (8+2)*proxies),
		memory.Grown("results on their way to their owners", 3*16*deliverPiece),
	}}
	if z.wide {
		g.Arrays = append(g.Arrays, memory.Grown("parents of 64 bits of masters", 8*z.rows))
	}
	return g
}

// start divides the graph.
func (s *mirroredSearch) start(ctx context.Context, in *input) error {
	s.in = in
	if err := s.divide(ctx, in); err != nil || in.wide == nil {
		return err
	}
	var err error
	s.wide, err = memory.Alloc[int64](s.part.Masters)
	return err
}

// divide makes the part and its search.
func (s *mirroredSearch) divide(ctx context.Context, in *input) (err error) {
	s.outgoing, s.incoming = make([][]reached, in.world.Size()), cluster.NewExchanger[reached](in.world)
	if in.distances == nil {
		share := divide.Plain(in.ranges, in.g)
		if s.part, err = mirrored.Divide(ctx, in.world, in.team, share, s.policy, in.g.Info); err != nil {
			return err
		}
		s.kernel, err = mirrored.NewBFS(s.part)
		return err
	}
	share, err := divide.Lightest(ctx, in.team, in.ranges, in.weighted)
	if err != nil {
		return err
	}
	s.part, err = mirrored.Divide(ctx, in.world, in.team, share, s.policy, in.weighted.Info)
	if err = errors.Join(err, share.Free()); err != nil {
		return err
	}
	s.kernel, err = mirrored.NewSSSP(ctx, s.part)
	return err
}

func (s *mirroredSearch) search(ctx context.Context, root engine.Label) error {
	if err := s.kernel.Search(ctx, root); err != nil || s.wide == nil {
		return err
	}
	s.in.team.Run(func(worker int) {
		lo, hi := parallel.Split(s.part.Masters, s.in.team.Size(), worker)
		fill(s.wide[lo:hi], -1)
		s.kernel.Results(lo, hi, func(master int, parent engine.Label, _ float32) { s.wide[master] = int64(parent) })
	})
	return nil
}

func (s *mirroredSearch) levels() engine.Profile { return s.kernel.Profile() }

// deliver sends the results of the last search from the masters to the owners of the vertices.
func (s *mirroredSearch) deliver(ctx context.Context) error {
	in, most := s.in, []int64{int64(s.part.Masters)}
	if err := in.world.Max(ctx, most); err != nil {
		return err
	}
	var own []reached
	s.kernel.Results(0, s.part.Masters, func(master int, parent engine.Label, distance float32) {
		r := reached{int64(parent), s.part.Labels[master], distance}
		if s.wide != nil {
			r.parent = s.wide[master]
		}
		own = append(own, r)
	})
	first, _ := in.ranges.Range(in.world.Rank())
	for done := int64(0); done < most[0]; done += deliverPiece {
		for rank := range s.outgoing {
			s.outgoing[rank] = s.outgoing[rank][:0]
		}
		piece := own[min(done, int64(len(own))):min(done+deliverPiece, int64(len(own)))]
		for _, r := range piece {
			rank := in.ranges.Owner(r.vertex)
			s.outgoing[rank] = append(s.outgoing[rank], r)
		}
		got, err := s.incoming.Exchange(ctx, s.outgoing)
		if err != nil {
			return err
		}
		for _, r := range got {
			at := uint64(r.vertex) - first
			if in.wide != nil {
				in.wide[at] = r.parent
			} else {
				in.parents[at] = engine.Label(r.parent)
			}
			if in.distances != nil {
				in.distances[at] = r.distance
			}
		}
	}
	return nil
}

func (s *mirroredSearch) close() error {
	errs := []error{memory.Free(s.wide)}
	if s.kernel != nil {
		errs = append(errs, s.kernel.Close())
	}
	if s.part != nil {
		errs = append(errs, s.part.Close())
	}
	return errors.Join(errs...)
}

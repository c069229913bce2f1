// Package proxies carries values between the masters of a divided graph and their mirrors on
// other ranks. Each rank has one part. It knows neither graphs nor what the values mean.
package proxies

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"graph500/cluster"
)

// Sync connects the proxies of a rank's part with those of other parts. Proxies are known by
// local number: first the masters, then the mirrors of each rank's masters. Both sides of a pair
// of ranks know the order of the mirrors, so that a message has their places in it only.
type Sync struct {
	world   *cluster.World
	first   []uint32   // first mirror of each rank's masters, and the number of proxies
	shared  []masters  // by rank: own masters with a mirror there
	readers [][]uint64 // by rank: bits of those of them whose mirrors have arcs
	out     [][]uint32 // by rank: the next message
	x       *cluster.Exchanger[uint32]
	places  []uint32 // of a message
}

// masters are some of the own masters.
type masters struct {
	bits   []uint64
	before []uint32 // number of masters before each word
	list   []uint32
}

// New connects the proxies of a part with rows in the order of the local numbers, of which the
// first so many are masters, in ascending order. reads reports whether a mirror has arcs. All
// ranks call it.
func New(ctx context.Context, w *cluster.World, count int, first, rows []uint32, reads func(mirror uint32) bool) (*Sync, error) {
	s := &Sync{world: w, first: first, out: make([][]uint32, w.Size()), x: cluster.NewExchanger[uint32](w)}
	for _, pass := range []func(mirror uint32) bool{func(uint32) bool { return true }, reads} {
		wanted := make([][]uint32, w.Size())
		for rank := range wanted {
			wanted[rank] = []uint32{0}
			for m := first[rank]; m < first[rank+1]; m++ {
				if pass(m) {
					wanted[rank] = append(wanted[rank], rows[m])
				}
			}
			wanted[rank][0] = uint32(len(wanted[rank]) - 1)
		}
		got, err := s.x.Exchange(ctx, wanted)
		if err != nil {
			return nil, err
		}
		var all []masters
		for range w.Size() {
			n := got[0]
			m, err := newMasters(rows[:count], got[1:1+n])
			if err != nil {
				return nil, err
			}
			all, got = append(all, m), got[1+n:]
		}
		if s.shared == nil {
			s.shared = all
			continue
		}
		for _, m := range all {
			s.readers = append(s.readers, m.bits)
		}
	}
	return s, nil
}

// newMasters returns the masters with these rows, among all own ones.
func newMasters(own, wanted []uint32) (m masters, err error) {
	m.bits, m.before = make([]uint64, (len(own)+63)/64), make([]uint32, (len(own)+63)/64)
	for _, row := range wanted {
		i, found := slices.BinarySearch(own, row)
		if !found {
			return m, fmt.Errorf("proxies: a mirror of row %d, which has no master here", row)
		}
		m.bits[i>>6] |= 1 << (i & 63)
		m.list = append(m.list, uint32(i))
	}
	n := uint32(0)
	for w, b := range m.bits {
		m.before[w] = n
		n += uint32(bits.OnesCount64(b))
	}
	return m, nil
}

// Values are what a message has for each proxy: Width numbers, at most two. Get returns those of
// a proxy that sends, Set gets those of one that receives; the messages come in the order of the
// ranks.
type Values struct {
	Width int
	Get   func(local uint32) [2]uint32 // may be nil without numbers
	Set   func(local uint32, values []uint32)
}

// Broadcast sends the values of the own masters whose bits are set to their mirrors; with
// toReaders only to those that have arcs.
func (s *Sync) Broadcast(ctx context.Context, chosen []uint64, toReaders bool, v Values) error {
	for rank := range s.out {
		m, mask := &s.shared[rank], s.shared[rank].bits
		if toReaders {
			mask = s.readers[rank]
		}
		s.places = s.places[:0]
		for w, b := range mask {
			for x := b & chosen[w]; x != 0; x &= x - 1 {
				s.places = append(s.places, m.before[w]+uint32(bits.OnesCount64(m.bits[w]&(x&-x-1))))
			}
		}
		s.pack(rank, len(m.list), v, func(place uint32) uint32 { return m.list[place] })
	}
	return s.exchange(ctx, s.mirrorsOf, v.Width, func(rank int, place uint32, values []uint32) {
		v.Set(s.first[rank]+place, values)
	})
}

// Reduce sends the values of the mirrors whose bits are set to their masters.
func (s *Sync) Reduce(ctx context.Context, chosen []uint64, v Values) error {
	for rank := range s.out {
		lo, hi := s.first[rank], s.first[rank+1]
		s.places = s.places[:0]
		eachBit(chosen, lo, hi, func(m uint32) { s.places = append(s.places, m-lo) })
		s.pack(rank, s.mirrorsOf(rank), v, func(place uint32) uint32 { return lo + place })
	}
	return s.exchange(ctx, func(rank int) int { return len(s.shared[rank].list) }, v.Width, func(rank int, place uint32, values []uint32) {
		v.Set(s.shared[rank].list[place], values)
	})
}

// mirrorsOf returns the number of mirrors of a rank's masters.
func (s *Sync) mirrorsOf(rank int) int { return int(s.first[rank+1] - s.first[rank]) }

// eachBit calls f with the numbers lo..hi-1 of set bits in order.
func eachBit(words []uint64, lo, hi uint32, f func(i uint32)) {
	for w := lo >> 6; w<<6 < hi; w++ {
		x := words[w]
		if w == lo>>6 {
			x &= ^uint64(0) << (lo & 63)
		}
		if hi-w<<6 < 64 {
			x &= 1<<(hi&63) - 1
		}
		for ; x != 0; x &= x - 1 {
			f(w<<6 + uint32(bits.TrailingZeros64(x)))
		}
	}
}

// pack makes the message to a rank: the number of places, the places of so many, as a list or as
// a bitmap, whichever is shorter, and the values.
func (s *Sync) pack(rank, of int, v Values, local func(place uint32) uint32) {
	m := s.out[rank][:0]
	if rank == s.world.Rank() {
		return
	}
	n := len(s.places)
	m = append(m, uint32(n))
	if isList(n, of) {
		m = append(m, s.places...)
	} else {
		begin := len(m)
		m = append(m, make([]uint32, (of+31)/32)...)
		for _, p := range s.places {
			m[begin+int(p>>5)] |= 1 << (p & 31)
		}
	}
	for _, p := range s.places {
		if v.Width > 0 {
			values := v.Get(local(p))
			m = append(m, values[:v.Width]...)
		}
	}
	s.out[rank] = m
}

// isList reports whether n places of so many are sent as a list.
func isList(n, of int) bool { return 32*n <= of }

// exchange sends the messages, and calls set with the places and values of those that arrive. of
// returns how many places a rank speaks of.
func (s *Sync) exchange(ctx context.Context, of func(rank int) int, width int, set func(rank int, place uint32, values []uint32)) error {
	got, err := s.x.Exchange(ctx, s.out)
	if err != nil {
		return err
	}
	for rank := range s.out {
		if rank == s.world.Rank() {
			continue
		}
		n := int(got[0])
		got = got[1:]
		s.places = s.places[:0]
		if isList(n, of(rank)) {
			s.places = append(s.places, got[:n]...)
			got = got[n:]
		} else {
			words := (of(rank) + 31) / 32
			for w, x := range got[:words] {
				for ; x != 0; x &= x - 1 {
					s.places = append(s.places, uint32(32*w+bits.TrailingZeros32(x)))
				}
			}
			got = got[words:]
		}
		for _, p := range s.places {
			set(rank, p, got[:width])
			got = got[width:]
		}
	}
	return nil
}

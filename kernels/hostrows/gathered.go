//go:build cuda

package hostrows

// gathered is a complete part: the sectors lo to hi-1 of the list.
type gathered struct {
	slot   int
	lo, hi uint64
	piece  uint64        // sectors per piece
	direct []sectorRange // of gatherSlot
}

// copied is a copy of a part to the device: count sectors of the list, from one on.
type copied struct {
	first, count uint64
	direct       bool
	source       uint64 // sector of the tails that is the first one, if direct
}

// copied yields the copies of the part in ascending order. Pieces side by side are copied
// together.
func (p gathered) copied(yield func(copied) bool) {
	var next copied
	for at := p.lo; at < p.hi; at += p.piece {
		piece := copied{first: at, count: min(p.piece, p.hi-at)}
		if d := p.direct[(at-p.lo)/p.piece]; d.count > 0 {
			piece.direct, piece.source = true, d.first
		}
		if next.count > 0 && piece.direct == next.direct && (!piece.direct || piece.source == next.source+next.count) {
			next.count += piece.count
			continue
		}
		if next.count > 0 && !yield(next) {
			return
		}
		next = piece
	}
	yield(next)
}

// copies returns the number of copies of the part.
func (p gathered) copies() (n uint64) {
	for range p.copied {
		n++
	}
	return n
}

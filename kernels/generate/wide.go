//go:build cuda

package generate

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
)

// NewWide is New for tuples with labels of 48 bits.
func NewWide(d *device.Device, spec kronecker.Spec, capacity uint64, weighted bool) (*Tuples, error) {
	return NewWideShare(d, spec, 0, spec.Tuples(), capacity, weighted)
}

// NewWideShare is NewShare for tuples with labels of 48 bits.
func NewWideShare(d *device.Device, spec kronecker.Spec, first, count, capacity uint64, weighted bool) (*Tuples, error) {
	return (&Tuples{first: first, count: count, weighted: weighted, wide: true}).newShare(d, spec, capacity)
}

// RegenerateWideShare is RegenerateShare for tuples with labels of 48 bits.
func RegenerateWideShare(d *device.Device, spec kronecker.Spec, first, count, capacity uint64, weighted bool) (share, all *Tuples, err error) {
	return (&Tuples{first: first, count: count, weighted: weighted, wide: true}).regenerate(d, spec, capacity)
}

// FromWide is From for tuples that get labels of 48 bits on the device.
func FromWide(d *device.Device, tuples engine.Tuples) (*Tuples, error) {
	return FromWideShare(d, tuples, 0)
}

// FromWideShare is FromShare for tuples that get labels of 48 bits on the device.
func FromWideShare(d *device.Device, tuples engine.Tuples, first uint64) (*Tuples, error) {
	return (&Tuples{first: first, wide: true}).from(d, tuples)
}

// WidePlan is Plan for tuples with labels of 48 bits. Loaded ones are all in memory.
func WidePlan(count, capacity uint64, loaded, weighted bool) []engine.Allocation {
	return (&Tuples{weighted: weighted, wide: true}).plan(count, capacity, loaded)
}

// IsWide reports whether labels have 48 bits.
func (t *Tuples) IsWide() bool { return t.wide }

// widePiece is the number of tuples that are converted at a time on the host.
const widePiece = 1 << 16

// writeWide copies tuples to the device.
func writeWide(to device.Array[engine.Edge48], edges []engine.Edge) error {
	piece := make([]engine.Edge48, min(widePiece, len(edges)))
	for at := 0; at < len(edges); at += len(piece) {
		part := edges[at:min(at+len(piece), len(edges))]
		engine.Widen(piece, part)
		if err := to.Write(at, piece[:len(part)]); err != nil {
			return err
		}
	}
	return nil
}

// readWide copies tuples, from index first on, to the host.
func readWide(from device.Array[engine.Edge48], first int, edges []engine.Edge) error {
	piece := make([]engine.Edge48, min(widePiece, len(edges)))
	for at := 0; at < len(edges); at += len(piece) {
		part := edges[at:min(at+len(piece), len(edges))]
		if err := from.Read(first+at, piece[:len(part)]); err != nil {
			return err
		}
		for i, e := range piece[:len(part)] {
			part[i] = e.Narrow()
		}
	}
	return nil
}

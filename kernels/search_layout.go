//go:build cuda

package kernels

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"graph500/engine"
)

// searchState is Search of search.cuh; the addresses are of arrays.
type searchState struct {
	Vertices, Tasks, Connected, HubCount, MinorCount, ListRoom, LevelRoom uint32

	FilterBits     uint32
	Bins, BinShift uint32
	HubsShare      uint32
	Arcs           uint64
	PerBlock       uint64

	Index, Rows, Neighbors, Hubs        uint64
	Present, More, MoreHubs, IsHub      uint64
	HubRows, HubArcs                    uint64
	First, Slots                        uint64
	MinorStart, Minors                  uint64
	ExceptionStart, Exceptions, Further uint64

	Parents      uint64
	Visited      [2]uint64
	ByFirst      uint64
	Queue        [2]uint64
	Items        uint64
	Share        uint64
	HubBits      uint64
	MinorBits    uint64
	Filter       uint64
	BinEnds      uint64
	OrderedStart uint64
	Fresh        uint64
	List         uint64
	LongRows     uint64
	LongParents  uint64
	Control      uint64
	Levels       uint64
	Stop         uint64
	Done         uint64
}

// levelRecord is Level of search.cuh.
type levelRecord struct {
	Direction uint32
	Found     uint32
	Frontier  uint64
	Examined  uint64
	End       uint64 // ns
}

// longRow is LongRow of search.cuh.
type longRow struct {
	Start  uint64
	Rest   uint32
	Vertex engine.Local
}

const (
	hubBitWords = 2048 // hubWords of search.cuh
	longRowRoom = 1024 // longRoom of search.cuh
	binStride   = 8    // binStride of search_order.cuh
	maxBins     = 2048 // maxBins of search_order.cuh

	leastBinShift = 17   // of searchPlan: 2^17 is orderedLabels of search_order.cuh
	shareRoom     = 1024 // blocks whose shares of a frontier the search can tell apart
)

// searchShape is what the kernel was compiled with.
type searchShape struct {
	threads      int // of a block
	shared       int // bytes of dynamic shared memory of a block
	kept         int // entries of the list that a thread keeps
	listedOfMany int // and that bfsMany has room for

	// The size of Control of search.cuh, and where in it are what the host
	// reads: the number of levels, of 4 bytes, and the begin, of 8.
	control, levelCount, begin int
}

// readShape asks the compiled kernels for their shape, and whether they lay out
// as this file does what both sides use.
func readShape(d *Device) (searchShape, error) {
	var s searchState
	var l levelRecord
	want := []uint64{
		taskLabels, hubBitWords, minorShift, longRowRoom, binStride, maxBins, 1 << leastBinShift,
		uint64(unsafe.Sizeof(Row{})), uint64(unsafe.Sizeof(Further{})), uint64(unsafe.Sizeof(HubRow{})), uint64(unsafe.Sizeof(longRow{})),
		uint64(unsafe.Sizeof(s)), uint64(unsafe.Offsetof(s.Arcs)), uint64(unsafe.Offsetof(s.PerBlock)), uint64(unsafe.Offsetof(s.Index)), uint64(unsafe.Offsetof(s.Further)),
		uint64(unsafe.Offsetof(s.MoreHubs)), uint64(unsafe.Offsetof(s.Parents)), uint64(unsafe.Offsetof(s.Items)), uint64(unsafe.Offsetof(s.BinEnds)), uint64(unsafe.Offsetof(s.Control)), uint64(unsafe.Offsetof(s.Done)),
		uint64(unsafe.Sizeof(l)), uint64(unsafe.Offsetof(l.Frontier)), uint64(unsafe.Offsetof(l.End)),
	}
	var shape [7]uint64
	out, err := Alloc[uint64](d, "layout of the search", len(shape)+len(want))
	if err != nil {
		return searchShape{}, err
	}
	got := make([]uint64, out.Len())
	launch := &launcher{d: d}
	err = launch.run("pack", "searchLayout", 1, 1, out.Address())
	if err == nil {
		err = out.Read(0, got)
	}
	if err = errors.Join(err, out.Free()); err != nil {
		return searchShape{}, err
	}
	copy(shape[:], got)
	if !slices.Equal(got[len(shape):], want) {
		return searchShape{}, fmt.Errorf("search.cuh and package kernels differ in their layout: %d, want %d", got[len(shape):], want)
	}
	return searchShape{
		threads: int(shape[0]), shared: int(shape[1]), kept: int(shape[2]), listedOfMany: int(shape[3]),
		control: int(shape[4]), levelCount: int(shape[5]), begin: int(shape[6]),
	}, nil
}

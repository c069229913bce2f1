//go:build cuda

package kernels

import "errors"

const (
	// sortTile and sortThreads are the keys and the threads of a block of
	// construct_pass.
	sortTile    = 384 * 12
	sortThreads = 384
	// sortPortion is the number of keys that one launch of construct_pass
	// takes: its counters have 30 bits.
	sortPortion = (1 << 28) / sortTile * sortTile
	// sortDigit is the number of bits of a pass.
	sortDigit = 8
	// sortPasses is the largest number of passes.
	sortPasses = 64 / sortDigit
	// sortBins is the number of values of a digit.
	sortBins = 1 << sortDigit
)

// sorter is a stable radix sort of 64-bit keys.
type sorter struct {
	launch   *launcher
	lookback *Array[uint32] // by tile and digit
	tickets  *Array[uint32] // by portion
	bins     *Array[uint64] // by pass and digit
	places   *Array[uint64] // by portion and digit
}

// sorterBytes returns what a sorter of that many keys takes.
func sorterBytes(keys uint64) uint64 {
	tiles, portions := tilesOf(min(keys, sortPortion), sortTile), tilesOf(keys, sortPortion)
	return 4*sortBins*tiles + 4*portions + 8*sortBins*(sortPasses+portions)
}

// newSorter makes a sorter of up to that many keys.
func newSorter(d *Device, launch *launcher, keys uint64) (*sorter, error) {
	s := &sorter{launch: launch}
	tiles, portions := tilesOf(min(keys, sortPortion), sortTile), tilesOf(keys, sortPortion)
	var errs [4]error
	s.lookback, errs[0] = Alloc[uint32](d, "sums of the sort", int(sortBins*tiles))
	s.tickets, errs[1] = Alloc[uint32](d, "tickets of the sort", int(portions))
	s.bins, errs[2] = Alloc[uint64](d, "bins of the sort", sortPasses*sortBins)
	s.places, errs[3] = Alloc[uint64](d, "places of the sort", int(sortBins*portions))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, s.free())
	}
	return s, nil
}

func (s *sorter) free() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.lookback.Free(), s.tickets.Free(), s.bins.Free(), s.places.Free())
}

// sort sorts count keys by their bits first..first+width-1, with room for as
// many in other. It reports whether the sorted ones are in other.
func (s *sorter) sort(keys, other *Array[uint64], count uint64, first, width int) (swapped bool, err error) {
	if err := s.bins.Fill(0); err != nil {
		return false, err
	}
	passes := (width + sortDigit - 1) / sortDigit
	blocks := min(tilesOf(count, 2048), 1<<11)
	if err := s.launch.run("construct_sort", "construct_histogram", blocks, 128,
		keys.Address(), count, uint64(first), uint64(first+width), s.bins.Address()); err != nil {
		return false, err
	}
	if passes > 0 {
		if err := s.launch.run("construct_sort", "construct_bins", uint64(passes), sortBins, s.bins.Address()); err != nil {
			return false, err
		}
	}
	for pass := range passes {
		bit := first + pass*sortDigit
		digit := min(sortDigit, first+width-bit)
		if err := s.pass(keys.Address(), other.Address(), count, bit, digit, s.bins.Address()+uint64(8*sortBins*pass)); err != nil {
			return swapped, err
		}
		keys, other = other, keys
		swapped = !swapped
	}
	return swapped, nil
}

// pass sorts by one digit, portion by portion.
func (s *sorter) pass(from, to, count uint64, bit, width int, place uint64) error {
	if err := s.tickets.Fill(0); err != nil {
		return err
	}
	for portion := uint64(0); portion*sortPortion < count; portion++ {
		if err := s.lookback.Fill(0); err != nil {
			return err
		}
		n := min(count-portion*sortPortion, sortPortion)
		next := s.places.Address() + 8*sortBins*portion
		if err := s.launch.run("construct_sort", "construct_pass", tilesOf(n, sortTile), sortThreads,
			from+8*sortPortion*portion, to, n, uint64(bit), uint64(width), place, next,
			s.lookback.Address(), s.tickets.Address()+4*portion); err != nil {
			return err
		}
		place = next
	}
	return nil
}

//go:build cuda

package construct

import "graph500/device"

const (
	// sortTile and sortThreads are the numbers of keys and of threads per block of
	// construct_pass.
	sortTile    = 384 * 12
	sortThreads = 384
	// sortPortion is the number of keys per launch of construct_pass, whose counters
	// have 30 bits.
	sortPortion = (1 << 28) / sortTile * sortTile
	// sortDigit is the number of bits per digit; a pass sorts by one digit.
	sortDigit = 8
	// sortPasses is the largest number of passes.
	sortPasses = 64 / sortDigit
	// sortBins is the number of values of a digit.
	sortBins = 1 << sortDigit
)

// sorter is a stable radix sort of 64-bit keys, with or without a value of 32 bits for
// each key.
type sorter struct {
	lookback device.Array[uint32] // by tile and digit
	tickets  device.Array[uint32] // by portion
	bins     device.Array[uint64] // by pass and digit
	places   device.Array[uint64] // by portion and digit
}

// arrays declares the memory of the sort, without keys, for up to that many keys.
func (s *sorter) arrays(keys uint64) []device.Declared {
	tiles, portions := tilesOf(min(keys, sortPortion), sortTile), tilesOf(keys, sortPortion)
	return []device.Declared{
		device.Of(&s.lookback, "sums of the sort", sortBins*tiles),
		device.Of(&s.tickets, "tickets of the sort", portions),
		device.Of(&s.bins, "bins of the sort", sortPasses*sortBins),
		device.Of(&s.places, "places of the sort", sortBins*portions),
	}
}

// sortable is a buffer of keys. values is empty if the keys have none.
type sortable struct {
	keys   device.Array[uint64]
	values device.Array[uint32]
}

// sort sorts count keys by their bits first..first+width-1. other is a second buffer
// of at least that length. swapped reports that the sorted keys are in other.
func (s *sorter) sort(launch launcher, from, other sortable, count uint64, first, width int) (swapped bool, err error) {
	if err := s.bins.Fill(0); err != nil {
		return false, err
	}
	passes := (width + sortDigit - 1) / sortDigit
	blocks := min(tilesOf(count, 2048), 1<<11)
	if err := launch.run("sort", "construct_histogram", blocks, 128,
		from.keys.Address(), count, uint64(first), uint64(first+width), s.bins.Address()); err != nil {
		return false, err
	}
	if passes > 0 {
		if err := launch.run("sort", "construct_bins", uint64(passes), sortBins, s.bins.Address()); err != nil {
			return false, err
		}
	}
	for pass := range passes {
		bit := first + pass*sortDigit
		digit := min(sortDigit, first+width-bit)
		if err := s.pass(launch, from, other, count, bit, digit, s.bins.Address()+uint64(8*sortBins*pass)); err != nil {
			return swapped, err
		}
		from, other = other, from
		swapped = !swapped
	}
	return swapped, nil
}

// pass sorts by the digit of width bits at bit, portion by portion. place is the
// address of the exclusive digit sums.
func (s *sorter) pass(launch launcher, from, to sortable, count uint64, bit, width int, place uint64) error {
	if err := s.tickets.Fill(0); err != nil {
		return err
	}
	for portion := uint64(0); portion*sortPortion < count; portion++ {
		if err := s.lookback.Fill(0); err != nil {
			return err
		}
		done := portion * sortPortion
		n := min(count-done, sortPortion)
		next := s.places.Address() + 8*sortBins*portion
		kernel, args := "construct_pass", []uint64{
			from.keys.Address() + 8*done, to.keys.Address(), n, uint64(bit), uint64(width), place, next,
			s.lookback.Address(), s.tickets.Address() + 4*portion,
		}
		if from.values.Len() > 0 {
			kernel, args = "construct_pass_values", append(args, from.values.Address()+4*done, to.values.Address())
		}
		if err := launch.run("sort", kernel, tilesOf(n, sortTile), sortThreads, args...); err != nil {
			return err
		}
		place = next
	}
	return nil
}

//go:build !noasm

package graph

import "graph500/vector"

// lanes is the number of entries that the vector forms take at a time. They can write so many behind
// the last one.
const lanes = 8

// wholeLanes returns how many of n entries the vector forms take; none of them if indices below a
// limit exceed 31 bits.
func wholeLanes(form vector.Form, n, limit int) int {
	if form == vector.Plain || limit > 1<<31 {
		return 0
	}
	return n &^ (lanes - 1)
}

// numberHubs is numberHubsGo.
func numberHubs(form vector.Form, to, from []uint32, numbers *hubNumbers) (best uint16, hubs int) {
	whole := wholeLanes(form, len(from), len(numbers.byLabel))
	if whole == 0 {
		return numberHubsGo(to, from, numbers)
	}
	a := numberArgs{from: &from[0], to: &to[0], numbers: &numbers.byLabel[0], slots: &numbers.slots, count: int64(whole)}
	numberHubs256(&a)
	best, hubs = numberHubsGo(to[whole:], from[whole:], numbers)
	return max(best, uint16(a.best)), hubs + int(a.hubs)
}

// splitHubs is splitHubsGo.
func splitHubs(form vector.Form, hubs []uint16, others, row []uint32, lastHub uint32) (nh, no int) {
	whole := wholeLanes(form, len(row), 0)
	if whole == 0 {
		return splitHubsGo(hubs, others, row, lastHub)
	}
	a := splitHubsArgs{row: &row[0], count: int64(whole), hubs: &hubs[0], others: &others[0], last: lastHub}
	splitHubs256(&a)
	nh, no = splitHubsGo(hubs[a.n:], others[whole-int(a.n):], row[whole:], lastHub)
	return nh + int(a.n), no + whole - int(a.n)
}

// splitLeaves is splitLeavesGo.
func splitLeaves(form vector.Form, rows, codes, leaves, code []uint32, mask uint32, n int) (nr, nl int) {
	whole := wholeLanes(form, n, len(code))
	if whole > 0 {
		a := splitLeavesArgs{codes: &codes[0], count: int64(whole), code: &code[0], rows: &rows[0], leaves: &leaves[0], mask: mask}
		splitLeaves256(&a)
		nr, nl = whole-int(a.n), int(a.n)
	}
	return splitLeavesGo(rows, codes, leaves, code, mask, whole, n, nr, nl)
}

// rankHubs sets the ranks of at most mostRanked hubs, which differ. The list has 64 entries more.
// It returns false without vectors.
func rankHubs(form vector.Form, ranks *[mostRanked]uint16, hubs []uint16) bool {
	if form == vector.Plain {
		return false
	}
	rankHubs256(&rankArgs{hubs: &hubs[0], count: int64(len(hubs)), ranks: ranks})
	return true
}

// prefetchCodes requests the codes of the labels in a row of lists, of its first ones if it is long.
func prefetchCodes(code, row []uint32) {
	if len(row) > 0 {
		prefetchEntries(&code[0], len(code), &row[0], min(len(row), mostAhead))
	}
}

// prefetchRow requests the first lines of a row.
func prefetchRow(row []uint32) {
	if len(row) > 0 {
		prefetchLines(&row[0], min(len(row), mostAhead))
	}
}

// prefetchEntries requests the entries of count labels in an array of n; for a hub, which is beyond n,
// the first one.
//
//go:noescape
func prefetchEntries(array *uint32, n int, labels *uint32, count int)

// prefetchLines requests the cache lines of n words.
//
//go:noescape
func prefetchLines(words *uint32, n int)

// numberArgs are the operands of numberHubs256.
type numberArgs struct {
	from, to *uint32
	numbers  *uint16
	slots    *[1 << slotBits]uint32
	count    int64  // a multiple of lanes, as in the others
	best     uint32 // result
	hubs     int64  // result
}

// numberHubs256 is numberHubsGo.
//
//go:noescape
func numberHubs256(a *numberArgs)

// splitHubsArgs are the operands of splitHubs256.
type splitHubsArgs struct {
	row    *uint32
	count  int64
	hubs   *uint16
	others *uint32
	last   uint32
	n      int64 // hubs, result
}

// splitHubs256 is splitHubsGo.
//
//go:noescape
func splitHubs256(a *splitHubsArgs)

// splitLeavesArgs are the operands of splitLeaves256.
type splitLeavesArgs struct {
	codes        *uint32
	count        int64
	code         *uint32
	rows, leaves *uint32
	mask         uint32
	n            int64 // leaves, result
}

// splitLeaves256 is splitLeavesGo from the begin on.
//
//go:noescape
func splitLeaves256(a *splitLeavesArgs)

// rankArgs are the operands of rankHubs256.
type rankArgs struct {
	hubs  *uint16
	count int64
	ranks *[mostRanked]uint16
}

// rankHubs256 sets the number of lower hubs of each hub. It compares blocks of 64 with each hub.
//
//go:noescape
func rankHubs256(a *rankArgs)

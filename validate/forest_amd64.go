//go:build !noasm

package validate

import (
	"graph500/engine"
	"graph500/vector"
)

// pack is packGo, in the form of the Forest. The last block can be shorter than the others.
func (f *Forest) pack(parents []engine.Label, slots []forestBlock, codes []forestCodes, others []engine.Label) int {
	whole := len(parents) / fillBlock
	if f.form == vector.Plain || whole == 0 {
		return packGo(parents, slots, codes, others)
	}
	a := packArgs{parents: &parents[0], slots: &slots[0], codes: &codes[0], others: &others[0], blocks: int64(whole)}
	packAVX2(&a)
	n := int(a.found)
	if whole < len(slots) {
		last := packGo(parents[whole*fillBlock:], slots[whole:], codes[whole:], others[n:])
		codes[whole].first += uint32(n)
		n += last
	}
	return n
}

// packArgs are the operands of packAVX2.
type packArgs struct {
	parents *engine.Label
	slots   *forestBlock
	codes   *forestCodes
	others  *engine.Label
	blocks  int64 // not 0
	found   int64 // result: number of others
}

// packAVX2 is packGo for whole blocks.
//
//go:noescape
func packAVX2(a *packArgs)

// unpack is unpackGo, in the form of the Forest.
func (f *Forest) unpack(slots *forestBlock, c *forestCodes, to *[fillBlock]engine.Label) {
	if f.form == vector.Plain {
		unpackGo(slots, c, to)
		return
	}
	unpackAVX2(slots, c, to)
}

// unpackAVX2 is unpackGo.
//
//go:noescape
func unpackAVX2(slots *forestBlock, c *forestCodes, to *[fillBlock]engine.Label)

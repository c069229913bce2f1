//go:build amd64 && !noasm

package kronecker

import (
	"golang.org/x/sys/cpu"

	"graph500/engine"
)

// haveSIMD reports whether this processor supports fastAVX512.
func haveSIMD() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD
}

// fast is fastGo in the fastest form that the processor supports.
func (g *Generator) fast(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	if !g.simd {
		return g.fastGo(c, edges, draws)
	}
	fastAVX512(&g.streams, c, g.scale, &g.scr, edges, draws, &redo)
	return redo
}

// fastAVX512 is fastGo for 16 tuples at a time.
//
//go:noescape
func fastAVX512(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)

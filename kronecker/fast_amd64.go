//go:build amd64 && !noasm

package kronecker

import (
	"golang.org/x/sys/cpu"

	"graph500/engine"
)

// haveSIMD reports whether processor and system offer what fastAVX512 uses.
func haveSIMD() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512CD
}

// fast is fastGo in the quickest form that the machine has.
func (g *Generator) fast(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	if !g.simd {
		return g.fastGo(c, edges, draws)
	}
	fastAVX512(&g.streams, c, g.scale, &g.scr, edges, draws, &redo)
	return redo
}

// fastAVX512 is fastGo, sixteen tuples side by side.
//
//go:noescape
func fastAVX512(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)

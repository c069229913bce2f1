//go:build amd64 && !noasm

package kronecker

import (
	"graph500/engine"
	"graph500/vector"
)

// fast is fastGo in the generator's form.
func (g *Generator) fast(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	if g.form != vector.AVX512 {
		return g.fastGo(c, edges, draws)
	}
	fastAVX512(&g.streams, c, g.scale, &g.scr, edges, draws, &redo)
	return redo
}

// fastAVX512 is fastGo for 16 tuples at a time.
//
//go:noescape
func fastAVX512(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)

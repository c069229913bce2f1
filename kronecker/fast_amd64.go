//go:build amd64 && !noasm

package kronecker

import (
	"graph500/engine"
	"graph500/vector"
)

// fast is fastGo in the generator's form.
func (g *Generator) fast(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) (redo [blockLen / 64]uint64) {
	switch g.form {
	case vector.AVX512:
		fastAVX512(&g.streams, c, g.scale, &g.scr, edges, draws, &redo)
	case vector.AVX2:
		fastAVX2(&g.streams, c, g.scale, &g.scr, edges, draws, &redo)
	default:
		return g.fastGo(c, edges, draws)
	}
	return redo
}

// fastAVX512 is fastGo for 16 tuples at a time.
//
//go:noescape
func fastAVX512(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)

// fastAVX2 is fastGo for 8 tuples at a time.
//
//go:noescape
func fastAVX2(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)

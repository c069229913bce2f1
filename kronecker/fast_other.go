//go:build !amd64 || noasm

package kronecker

import "graph500/engine"

// fast is fastGo: this build has no vector form.
func (g *Generator) fast(c *centredJump, edges *[blockLen]engine.Edge, draws *[blockLen]uint32) [blockLen / 64]uint64 {
	return g.fastGo(c, edges, draws)
}

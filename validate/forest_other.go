//go:build !amd64 || noasm

package validate

import "graph500/engine"

func (*Forest) pack(parents []engine.Label, slots []forestBlock, codes []forestCodes, others []engine.Label) int {
	return packGo(parents, slots, codes, others)
}

func (*Forest) unpack(slots *forestBlock, c *forestCodes, to *[fillBlock]engine.Label) {
	unpackGo(slots, c, to)
}

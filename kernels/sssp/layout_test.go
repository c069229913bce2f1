//go:build cuda

package sssp

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "THREADS", Value: threads, Doc: "threads of a block"},
		{Name: "nearCapacity", Value: nearCapacity, Doc: "reached vertices that the near step can hold"},
		{Name: "chunkArcs", Value: chunkArcs, Doc: "arcs in a piece of a row, which eight lanes push"},
		{Name: "pieceCapacity", Value: pieceCapacity, Doc: "pieces of rows that a block can hold"},
		{Name: "soloItems", Value: soloItems, Doc: "vertices up to which one block makes the rounds of a push alone"},
		{Name: "maxRecords", Value: maxRecords, Doc: "records of rounds"},
	}, []header.Struct{
		{Name: "RoundRecord", Value: roundRecord{}},
		{Name: "Control", Value: control{}},
		{Name: "State", Value: state{}},
	})
}

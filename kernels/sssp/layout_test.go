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
		{Name: "groupLanes", Value: groupLanes, Doc: "lanes that push a piece of a row"},
		{Name: "pieceCapacity", Value: pieceCapacity, Doc: "pieces of rows that a block can hold"},
		{Name: "rowPieces", Value: rowPieces, Doc: "largest number of pieces of a row"},
		{Name: "localItems", Value: localItems, Doc: "found vertices that a block can keep for itself"},
		{Name: "localRounds", Value: localRounds, Doc: "rounds that a block makes with them before it meets the others"},
		{Name: "segmentArcs", Value: segmentArcs, Doc: "largest number of light arcs in a segment"},
		{Name: "logClaim", Value: logClaim, Doc: "entries of the log that a warp claims at a time"},
		{Name: "maxRecords", Value: maxRecords, Doc: "records of rounds"},
	}, []header.Enum{{Name: "Step", Value: step(0)}}, []header.Struct{
		{Name: "RoundRecord", Value: roundRecord{}},
		{Name: "Control", Value: control{}},
		{Name: "State", Value: state{}},
		{Name: "Tails", Value: tails{}},
	})
}

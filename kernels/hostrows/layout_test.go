//go:build cuda

package hostrows

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "listThreads", Value: listThreads, Doc: "words of a bitmap per block"},
		{Name: "scanThreads", Value: scanThreads, Doc: "threads of a block that adds up counts of blocks"},
		{Name: "lineArcs", Value: lineArcs, Doc: "neighbours in a line of 128 bytes"},
		{Name: "pieceSectors", Value: pieceSectors, Doc: "sectors that a warp examines: 1,024 neighbours"},
	}, nil, []header.Struct{
		{Name: "Totals", Value: totals{}},
		{Name: "Active", Align: 8, Value: Active{}},
		{Name: "Place", Align: 8, Value: Place{}},
		{Name: "Span", Align: 8, Value: span{}},
	})
}

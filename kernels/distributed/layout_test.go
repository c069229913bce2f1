//go:build cuda

package distributed

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "blockThreads", Value: device.BlockThreads, Doc: "threads of a block"},
		{Name: "ownNeighbors", Value: ownNeighbors, Doc: "first neighbours that a vertex's own thread examines bottom-up"},
	}, nil, []header.Struct{
		{Name: "Pair", Align: 8, Value: Pair{}},
		{Name: "Counts", Value: counts{}},
	})
}

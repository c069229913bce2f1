//go:build cuda

package bfs

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "THREADS", Value: threads, Doc: "of a block"},
		{Name: "task", Value: taskLabels, Doc: "labels that a warp of a dense pass takes at a time"},
		{Name: "hubWords", Value: hubWords, Doc: "of the bitmap of hubs, whose last two bits stay clear"},
		{Name: "noSlot", Value: noHub, Doc: "in slots: the neighbour is no hub"},
		{Name: "noNeighbor", Value: noNeighbor, Doc: "in Further: the row has no such neighbour; in HubRow and hubArcs: no such hub"},
		{Name: "minorShift", Value: minorShift, Doc: "bits of a label below a minor hub's number in minors"},
		{Name: "furtherDegree", Value: furtherDegree, Doc: "largest degree in Further.row; a row as long as that says its own"},
		{Name: "longRoom", Value: longRowRoom, Doc: "rows in one level that all blocks walk together"},
		{Name: "maxBins", Value: maxBins, Doc: "of labels"},
		{Name: "binStride", Value: binStride, Doc: "words from the end of one bin to that of the next, so that atomics spread"},
		{Name: "orderedLabels", Value: 1 << leastBinShift, Doc: "that a block orders at a time"},
		{Name: "kept", Value: kept, Doc: "entries of the list that a thread keeps in registers at the end"},
	}, []header.Struct{
		{Name: "Further", Align: 32, Value: Further{}},
		{Name: "HubRow", Align: 16, Value: HubRow{}},
		{Name: "LongRow", Value: longRow{}},
		{Name: "Level", Value: levelRecord{}},
		{Name: "Control", Value: control{}},
		{Name: "State", Value: state{}},
	})
}

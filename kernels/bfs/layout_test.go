//go:build cuda

package bfs

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "THREADS", Value: threads, Doc: "threads of a block"},
		{Name: "taskLabels", Value: taskLabels, Doc: "labels of a task"},
		{Name: "hubWords", Value: hubWords, Doc: "words of the bitmap of hubs, whose last two bits stay 0"},
		{Name: "noHub", Value: noHub, Doc: "hub number: the neighbour is not a hub"},
		{Name: "noNeighbor", Value: noNeighbor, Doc: "hub number in Further: there is no such neighbour; in HubRow and hubArcs: no such hub"},
		{Name: "minorShift", Value: minorShift, Doc: "low bits of a label in an entry of minors, below the number of the minor hub"},
		{Name: "maxFurtherDegree", Value: maxFurtherDegree, Doc: "largest degree in Further.row; such a row has its degree in g.rows only"},
		{Name: "longRowCapacity", Value: longRowCapacity, Doc: "rows per level that all blocks can walk together"},
		{Name: "maxBins", Value: maxBins, Doc: "bins of labels"},
		{Name: "binStride", Value: binStride, Doc: "words between the ends of two bins in binEnds"},
		{Name: "orderedLabels", Value: 1 << leastBinShift, Doc: "labels that a block orders at a time"},
		{Name: "frontierShare", Value: frontierShare, Doc: "with split rows: the largest frontier that is searched top-down is 1/frontierShare of the rows"},
		{Name: "tailEntries", Value: tailEntries, Doc: "entries of the list per thread in registers, in the last levels"},
		{Name: "maxPeers", Value: device.MostTogether, Doc: "devices that search a graph together"},
		{Name: "alpha", Value: engine.Alpha, Doc: "bottom-up pays if the frontier has more than 1/alpha of the unexplored arcs"},
	}, []header.Enum{{Name: "Step", Value: step(0)}, {Name: "Extra", Value: extra(0)}}, []header.Struct{
		{Name: "Further", Align: 32, Value: Further{}},
		{Name: "HubRow", Align: 16, Value: HubRow{}},
		{Name: "LongRow", Value: longRow{}},
		{Name: "Level", Value: levelRecord{}},
		{Name: "Control", Value: control{}},
		{Name: "State", Value: state{}},
		{Name: "Tails", Value: tails{}},
		{Name: "PeerControl", Value: peerControl{}},
		{Name: "Peer", Value: peer{}},
		{Name: "Peers", Value: peers{}},
	})
}

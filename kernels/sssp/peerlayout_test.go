//go:build cuda

package sssp

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestPeerLayout(t *testing.T) {
	devicetest.Header(t, "peerlayout.go", []header.Constant{
		{Name: "THREADS", Value: threads, Doc: "threads of a block"},
		{Name: "maxPeers", Value: device.MostTogether, Doc: "devices that search a graph together"},
		{Name: "maxRecords", Value: maxRecords, Doc: "records of rounds"},
		{Name: "rowLanes", Value: rowLanes, Doc: "lanes that look at the first arcs of a row"},
		{Name: "firstArcs", Value: firstArcs, Doc: "arcs of a row that are looked at before it is divided into pieces"},
		{Name: "pieceArcs", Value: pieceArcs, Doc: "largest number of arcs in a piece of a row"},
		{Name: "keptClaim", Value: keptClaim, Doc: "kept arcs whose places a warp claims at a time"},
		{Name: "nearSteps", Value: nearSteps, Doc: "largest number of steps in which the nearest vertices are expanded"},
	}, []header.Struct{
		{Name: "RoundRecord", Value: roundRecord{}},
		{Name: "PeerControl", Value: peerControl{}},
		{Name: "PeerCounts", Value: peerCounts{}},
		{Name: "Peer", Value: peer{}},
		{Name: "Peers", Value: peers{}},
		{Name: "PeerState", Value: peerState{}},
	})
}

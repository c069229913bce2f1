//go:build cuda

package hubs

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestPeerLayout(t *testing.T) {
	devicetest.Header(t, "peerlayout.go", []header.Constant{
		{Name: "maxPeers", Value: device.MostTogether, Doc: "devices that search a graph together"},
	}, nil, []header.Struct{
		{Name: "PeerControl", Value: peerControl{}},
		{Name: "Peer", Value: peer{}},
		{Name: "Peers", Value: peers{}},
	})
}

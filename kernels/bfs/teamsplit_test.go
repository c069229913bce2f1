//go:build cuda

package bfs

import (
	"math/rand/v2"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

func TestTeamOfSplitRowsOnRandomGraphs(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(41, 2))
		for i := range devicetest.Sized(30, 4) {
			vertices := 1024*len(devices) + r.IntN(1<<(1+r.IntN(13)))
			c := newSplitTeamCase(t, devices, vertices, devicetest.RandomTuples(r, vertices), i%2 == 0)
			for i, root := range c.anyRoots(t, r, 3) {
				if i > 0 {
					c.useAny(t, r)
				}
				c.search(t, root)
			}
			c.close(t)
			if t.Failed() {
				t.Fatalf("graph %d, of %d vertices", i, vertices)
			}
		}
	})
}

func TestTeamOfSplitRowsOnNastyGraphs(t *testing.T) {
	onNastyGraphs(t, devicetest.Sized(2, 1), func(t *testing.T, devices []*device.Device, vertices int, tuples []engine.Edge) *teamCase {
		return newSplitTeamCase(t, devices, vertices, tuples, true)
	})
}

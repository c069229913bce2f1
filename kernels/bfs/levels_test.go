//go:build cuda

package bfs

import (
	"testing"

	"graph500/engine"
)

func TestTraffic(t *testing.T) {
	const (
		bitmap  = 1 << 17 // bytes for 2^20 labels
		hundred = 100 * (4 + 2*32)
	)
	topDown := func(frontier, found, examined int64) engine.Level {
		return engine.Level{Direction: engine.TopDown, Frontier: frontier, Found: found, Examined: examined}
	}
	bottomUp := func(frontier, found, examined int64) engine.Level {
		return engine.Level{Direction: engine.BottomUp, Frontier: frontier, Found: found, Examined: examined}
	}
	for name, levels := range map[string][]struct {
		level engine.Level
		want  int64
	}{
		"official": {
			{topDown(1, 100, 100), 2*bitmap + 68 + 400 + 3600},
			{topDown(100, 9_899, 20_000), hundred + 80_000 + 9_899*36},
			// 490,000 of 500,000 are left, then 400,000, 100,000, 1,000 and 400.
			{bottomUp(9_899, 90_000, 490_000+400_000), 16*bitmap + 616 + 6*bitmap + 100_000*32},
			{bottomUp(90_000, 300_000, 400_000+40), 16*bitmap + 616 + 7*bitmap + 10*32},
			{bottomUp(300_000, 99_000, 100_000+80), 64*bitmap + 4*bitmap + 20*32 + 8*1_000},
			{bottomUp(99_000, 600, 1_000+30), 4*30 + 32*600 + 8*1_000},
			{bottomUp(600, 10, 400+7), 4*7 + 32*10},
		},
		"a list without room": {
			{bottomUp(1, 200_000, 499_999), 2*bitmap + 16*bitmap + 616 + 6*bitmap},
			{bottomUp(200_000, 100_000, 299_999), 64*bitmap + 4*bitmap + 8*5_000},
			{bottomUp(100_000, 190_000, 199_999), 32*bitmap + 3*bitmap + 8*5_000 + 190_000*32},
			{topDown(190_000, 10, 500_000), 2*bitmap + 4*190_000 + 190_000*(4+2*32+2*16) + 4*500_000 + 360},
			{bottomUp(10, 5, 9_989), 16*bitmap + 616 + 6*bitmap},
		},
		"a small frontier": {
			{bottomUp(1, 9_999, 499_999), 2*bitmap + 16*bitmap + 616 + 6*bitmap},
			{bottomUp(9_999, 90_000, 490_000), 64*bitmap + 4*bitmap + 8*5_000},
		},
	} {
		traffic := traffic{labels: 1 << 20, exceptions: 616, rows: 500_000, listRoom: 5_000, threads: 512, left: 499_999}
		for i, l := range levels {
			if got := traffic.of(l.level); got != l.want {
				t.Errorf("%s: level %d moves %d bytes, want %d", name, i, got, l.want)
			}
		}
	}
}

package worklist

import (
	"io/fs"

	"graph500/processors"
)

// Distance is the distance between the groups of two workers.
type Distance int

const (
	SameGroup   Distance = iota // they share a last-level cache
	SameSocket                  // other cache, same socket
	OtherSocket                 // other socket
	distances   = iota
)

// Topology assigns workers to groups.
type Topology struct {
	group   []int      // by worker
	sources [][]source // by group: the groups that its workers take chunks from, nearest first
}

// source is a group seen from another one.
type source struct {
	group    int
	distance Distance
}

// Locate returns the topology of the given number of workers, from the file system of
// the machine. If it is unreadable, one group holds all workers.
//
// Worker i belongs to the i-th usable processor. Workers are not bound to processors:
// the system may run a worker elsewhere. Groups then cost some locality, and steals
// are counted at a distance that they did not have. Results do not depend on it.
func Locate(root fs.FS, workers int) Topology {
	allowed, err := processors.Find(root)
	if err != nil {
		return newTopology(nil, workers)
	}
	places, err := processors.Places(root, allowed.Numbers)
	if err != nil {
		places = nil
	}
	return newTopology(places, workers)
}

// newTopology assigns workers to the places in turn. Without a place, all workers are
// in one group.
func newTopology(places []processors.Place, workers int) Topology {
	if len(places) == 0 {
		places = []processors.Place{{}}
	}
	t := Topology{group: make([]int, workers)}
	var used []processors.Place // by group
	number := make(map[processors.Place]int)
	for worker := range workers {
		place := places[worker%len(places)]
		group, ok := number[place]
		if !ok {
			group = len(used)
			number[place] = group
			used = append(used, place)
		}
		t.group[worker] = group
	}
	for group := range used {
		t.sources = append(t.sources, sourcesOf(used, group))
	}
	return t
}

// sourcesOf orders the groups by their distance from one of them. At equal distance,
// each group begins with the one after itself, so that not all take from the same.
func sourcesOf(used []processors.Place, from int) (sources []source) {
	sources = append(sources, source{from, SameGroup})
	for _, distance := range []Distance{SameSocket, OtherSocket} {
		for i := 1; i < len(used); i++ {
			group := (from + i) % len(used)
			if (used[group].Socket == used[from].Socket) == (distance == SameSocket) {
				sources = append(sources, source{group, distance})
			}
		}
	}
	return sources
}

//go:build cuda

package hubs

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
	"graph500/kernels/hubs/reference"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "THREADS", Value: threads, Doc: "threads of a block"},
		{Name: "groupThreads", Value: groupThreads, Doc: "threads that work on a chunk together"},
		{Name: "chunkWords", Value: chunkWords, Doc: "most words of a bitmap of the rows of a chunk"},
		{Name: "warps", Value: warps, Doc: "warps of a block"},
		{Name: "singleEach", Value: singleEach, Doc: "words of rows with one hub that a warp examines at a time"},
		{Name: "wordsEach", Value: wordsEach, Doc: "words of rows without hubs that a block copies at a time"},
		{Name: "hubWords", Value: hubWords, Doc: "words of a bitmap of hubs"},
		{Name: "mostRangeRows", Value: reference.MostRangeRows, Doc: "most rows of a range"},
		{Name: "mostNotes", Value: reference.MostNotes, Doc: "most rows of a small range with two hubs or more"},
		{Name: "notedRows", Value: reference.NotedRows, Doc: "most rows of a small range"},
		{Name: "mostAlone", Value: mostAlone, Doc: "most rows of a device that one block finds in late levels"},
		{Name: "lateEntries", Value: lateEntries, Doc: "most rows of all devices that it finds"},
		{Name: "mostToAll", Value: mostToAll, Doc: "most rows, with unused entries, next to a row whose finds all devices take"},
		{Name: "frontiers", Value: frontiers, Doc: "bitmaps of hubs of a frontier"},
		{Name: "queuedShift", Value: queuedShift, Doc: "low bits of Control.queued that count pieces"},
	}, []header.Enum{{Name: "Step", Value: step(0)}}, []header.Struct{
		{Name: "LevelRecord", Value: levelRecord{}},
		{Name: "Control", Value: control{}},
		{Name: "Pieces", Value: pieces{}},
		{Name: "State", Value: state{}},
	})
}

//go:build cuda

package distributed

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestPathLayout(t *testing.T) {
	devicetest.Header(t, "pathlayout.go", []header.Constant{
		{Name: "localRounds", Value: localRounds, Doc: "rounds of pushes between two exchanges"},
		{Name: "distanceBuckets", Value: distanceBuckets, Doc: "ranges of distances by which degrees are added up"},
		{Name: "bucketShift", Value: bucketShift, Doc: "bits of a distance that do not decide on its range"},
		{Name: "nextArcs", Value: nextArcs, Doc: "arcs behind the bound that a push looks at"},
		{Name: "ownArcs", Value: ownArcs, Doc: "first arcs of a vertex that its own thread examines in the pull"},
	}, nil, []header.Struct{
		{Name: "Improvement", Value: improvement{}},
		{Name: "PathCounts", Value: pathCounts{}},
		{Name: "PathState", Value: pathState{}},
	})
}

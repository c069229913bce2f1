//go:build cuda

package construct

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "tileLabels", Value: tileLabels, Doc: "labels per block in the kernels over all vertices"},
		{Name: "ownerShift", Value: ownerShift, Doc: "low bits of the start of a row that are its offset on its device; the device is above"},
		{Name: "sectorArcs", Value: SectorArcs, Doc: "neighbours in a sector of host memory"},
	}, nil, []header.Struct{{Name: "Row", Value: Row{}}, {Name: "Arc", Value: Arc{}}, {Name: "Head", Value: Head{}},
		{Name: "WeightedRow", Align: 16, Value: WeightedRow{}}, {Name: "Facts", Value: facts{}}})
}

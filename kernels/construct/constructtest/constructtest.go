//go:build cuda

package constructtest

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
)

// OnOne builds the graph of the tuples on one device, in a usual number of groups if the form
// says none. in may have memory for split rows.
func OnOne(t testing.TB, d *device.Device, vertices int, tuples *generate.Tuples, f construct.Form, in construct.Input) (*construct.Graph, error) {
	t.Helper()
	in.Vertices, in.Tuples = uint64(vertices), []*generate.Tuples{tuples}
	f.Devices = 1
	if f.Groups == 0 {
		f.Groups = construct.LeastGroups
	}
	graphs, err := construct.Build(t.Context(), devicetest.Team(t, []*device.Device{d}), in, f)
	if err != nil {
		return nil, err
	}
	return graphs[0], nil
}

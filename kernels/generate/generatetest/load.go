//go:build cuda

// Package generatetest has the tuples of tests of kernels on a device.
package generatetest

import (
	"testing"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kronecker"
)

// Load copies tuples of a list to a device: all that the host has, with weights if it has them.
// The form says which is the first one, and how wide the labels are.
func Load(t testing.TB, d *device.Device, form generate.Config, tuples engine.Tuples) *generate.Tuples {
	t.Helper()
	form.Count, form.Weighted, form.Loaded = uint64(tuples.Len()), tuples.Weights != nil, true
	list, err := generate.New(t.Context(), d, form, generate.Source{Loaded: tuples})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// LoadShares divides tuples among devices, one share each.
func LoadShares(t testing.TB, devices []*device.Device, form generate.Config, tuples engine.Tuples) (shares []*generate.Tuples) {
	t.Helper()
	for k, d := range devices {
		var count uint64
		form.First, count = generate.ShareOf(uint64(len(tuples.Edges)), len(devices), k)
		own := engine.Tuples{Edges: tuples.Edges[form.First:][:count]}
		if tuples.Weights != nil {
			own.Weights = tuples.Weights[form.First:][:count]
		}
		shares = append(shares, Load(t, d, form, own))
	}
	return shares
}

// Generate generates tuples of an official graph on a device: all of them, unless the form says
// how many.
func Generate(t testing.TB, d *device.Device, spec kronecker.Spec, form generate.Config) *generate.Tuples {
	t.Helper()
	if form.Count == 0 {
		form.Count = spec.Tuples()
	}
	list, err := generate.New(t.Context(), d, form, generate.Source{Spec: spec})
	if err == nil {
		err = list.Make(t.Context(), func(uint64) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

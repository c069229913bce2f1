//go:build cuda

package validate

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/kernels/header"
)

func TestLayout(t *testing.T) {
	devicetest.Header(t, "layout.go", []header.Constant{
		{Name: "settleRounds", Value: settleRounds, Doc: "settle rounds that the host launches at once"},
	}, nil, []header.Struct{{Name: "Facts", Value: facts{}}})
}

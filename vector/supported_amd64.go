//go:build !noasm

package vector

import "golang.org/x/sys/cpu"

// supported returns the largest form of this processor.
func supported() Form {
	x := &cpu.X86
	switch {
	case !(x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT):
		return Plain
	case !(x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL):
		return AVX2
	}
	return AVX512
}

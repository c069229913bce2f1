//go:build cuda

// Package kernels knows the checksums of the kernels in its directories, and not what they do.
//
// Each .cu file has a .go file that launches it. make kernels (scripts/kernels.sh) compiles to PTX
// (nvcc 11.8, compute_80) and from PTX to machine code (sm_90, by ptxas 11.8, or by 12.4 where its
// code is faster or the kernel has bulk copies) in the package's folder compiled, which is
// committed and embedded. A driver that does not accept the machine code compiles the PTX.
// compiled/kernels.sum holds the checksums of sources and outputs. A source that reads or writes
// tuples through tuples.cuh has a second one, NAME48.cu, for labels of 48 bits. A source that
// includes counted.cuh is also compiled to .counted.ptx, which counts its work for "graph500
// strategies", unless it is for several GPUs. Structs shared with Go are written in layout.go; the
// package's tests check layout.cuh and rewrite it with -update.
package kernels

import (
	"bytes"
	"embed"
	"io/fs"
)

//go:embed */compiled/kernels.sum
var sums embed.FS

// Checksums returns the lines of all files kernels.sum: the checksums of the sources and of
// their compiled forms.
func Checksums() []byte {
	var all bytes.Buffer
	err := fs.WalkDir(sums, ".", func(name string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		text, err := sums.ReadFile(name)
		all.Write(text)
		return err
	})
	if err != nil {
		panic(err) // embedded files can always be read
	}
	return all.Bytes()
}

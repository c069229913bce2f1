//go:build cuda

// Package kernels knows the checksums of the kernels in its directories.
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

//go:build cuda

package techniques

// Checksums returns the lines of compiled/kernels.sum: the checksums of the sources and of
// their compiled forms.
func Checksums() []byte {
	text, err := images.ReadFile("compiled/kernels.sum")
	if err != nil {
		panic(err) // embedded files can always be read
	}
	return text
}

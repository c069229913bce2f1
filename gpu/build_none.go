//go:build !cuda

package gpu

// Build says that there is no engine in this build.
func Build() string { return "without CUDA" }

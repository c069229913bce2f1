//go:build cuda

package gpu

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"graph500/device/driver"
	"graph500/kernels"
	"graph500/techniques"
)

// Build names what the engine was built from: the CUDA versions of its kernels and of the
// headers, and twelve digits that change with every source and compiled form of a kernel.
func Build() string {
	sum := sha256.Sum256(slices.Concat(kernels.Checksums(), techniques.Checksums()))
	return fmt.Sprintf("CUDA %s (headers of %s), kernels %x", driver.Version(driver.MinVersion), driver.Version(driver.HeaderVersion), sum[:6])
}

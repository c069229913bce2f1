package graph

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"graph500/atomicfile"
)

// fingerprintBytes is the number of bytes at the beginning and at the end of a file that
// Fingerprint reads.
const fingerprintBytes = 1 << 16

// Fingerprint describes a regular file by its size, and a checksum of its beginning and end.
// It tells whether the hosts of several ranks have the same file under a name. The time of
// the last change does not count: copies have different ones.
func Fingerprint(path string) (string, error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%s: cannot be read: %w", path, atomicfile.Cause(err))
	}
	info, err := os.Stat(path)
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, offset := range []int64{0, max(0, info.Size()-fingerprintBytes)} {
		if _, err := io.Copy(sum, io.NewSectionReader(f, offset, fingerprintBytes)); err != nil {
			return fail(err)
		}
	}
	return fmt.Sprintf("%d bytes with checksum %08x", info.Size(), sum.Sum32()), nil
}

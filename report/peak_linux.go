package report

import (
	"bytes"
	"os"
	"strconv"
)

// PeakBytes returns the maximum resident memory of this process, including arrays
// outside the Go heap; 0 if unknown.
func PeakBytes() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return parsePeak(status)
}

// parsePeak parses the line "VmHWM:   1234 kB" of /proc/PID/status.
func parsePeak(status []byte) uint64 {
	for line := range bytes.Lines(status) {
		value, ok := bytes.CutPrefix(line, []byte("VmHWM:"))
		if !ok {
			continue
		}
		kib, err := strconv.ParseUint(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 64)
		if err != nil {
			return 0
		}
		return kib << 10
	}
	return 0
}

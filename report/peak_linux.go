package report

import (
	"bytes"
	"os"
	"strconv"
)

// PeakBytes returns the largest resident memory that this process has had, 0
// when the system does not tell. Arrays outside the Go heap are in it.
func PeakBytes() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return highWater(status)
}

// highWater reads the line "VmHWM:   1234 kB" of /proc/PID/status.
func highWater(status []byte) uint64 {
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

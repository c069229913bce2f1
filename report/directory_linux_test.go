package report

import (
	"strings"
	"testing"
)

// Not even root may make files in /proc.
func TestCheckDirUnwritable(t *testing.T) {
	for _, dir := range []string{"/proc", "/proc/graph500"} {
		if err := CheckDir(dir); err == nil || !strings.HasPrefix(err.Error(), "-out "+dir+": cannot ") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

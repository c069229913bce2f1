//go:build cuda

package device

import (
	"errors"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"graph500/memory"
)

func TestNodeOf(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{"0000:c1:00.0": "1\n", "0001:02:00.0": "0\n", "0000:03:00.0": "-1\n", "0000:04:00.0": "x\n"} {
		root["sys/bus/pci/devices/"+name+"/numa_node"] = &fstest.MapFile{Data: []byte(text)}
	}
	for busID, want := range map[string]int{
		"0000:C1:00.0": 1, "00000000:C1:00.0": 1, "0001:02:00.0": 0,
		"0000:03:00.0": -1, "0000:04:00.0": -1, "0000:05:00.0": -1, "": -1, "c1": -1,
	} {
		if node, known := nodeOf(root, busID); known != (want >= 0) || known && node != want {
			t.Errorf("%s: node %d, %v, want %d", busID, node, known, want)
		}
	}
}

// Memory that prefers the first node, which every machine has, is as usable as before.
func TestPreferred(t *testing.T) {
	host, err := memory.Alloc[byte](1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := preferred(host, 0); err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSYS) {
		t.Errorf("mbind: %v", err)
	}
	if err := preferred(host, 1000); err == nil {
		t.Error("node 1000 is accepted")
	}
	for i := range host {
		host[i] = byte(i)
	}
	if host[255] != 255 {
		t.Error("other contents")
	}
	if err := memory.Free(host); err != nil {
		t.Error(err)
	}
}

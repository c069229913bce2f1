//go:build cuda

package device

import (
	"errors"
	"testing"
	"testing/fstest"
	"unsafe"

	"golang.org/x/sys/unix"

	"graph500/memory"
)

func TestNodeOf(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{"0000:c1:00.0": "1\n", "0001:02:00.0": "0\n", "0000:03:00.0": "-1\n", "0000:04:00.0": "x\n", "10000:05:00.0": "2\n"} {
		root["sys/bus/pci/devices/"+name+"/numa_node"] = &fstest.MapFile{Data: []byte(text)}
	}
	for busID, want := range map[string]int{
		"0000:C1:00.0": 1, "00000000:C1:00.0": 1, "0001:02:00.0": 0, "00010000:05:00.0": 2,
		"0000:03:00.0": -1, "0000:04:00.0": -1, "0000:05:00.0": -1, "": -1, "c1": -1,
	} {
		if node, known := nodeOf(root, busID); known != (want >= 0) || known && node != want {
			t.Errorf("%s: node %d, %v, want %d", busID, node, known, want)
		}
	}
}

// The first node, which every machine has, becomes the preferred one of the memory.
func TestPreferred(t *testing.T) {
	host, err := memory.Alloc[byte](1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := memory.Free(host); err != nil {
			t.Error(err)
		}
	}()
	err = preferred(host, 0)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("the system refuses: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := preferred(host, 1000); err == nil {
		t.Error("node 1000 is accepted")
	}
	const ofAddress = 2 // MPOL_F_ADDR
	policy, mask := int32(-1), make([]uint64, 1024/64)
	if _, _, errno := unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&policy)), uintptr(unsafe.Pointer(&mask[0])), 1024,
		uintptr(unsafe.Pointer(&host[len(host)/2])), ofAddress, 0); errno != 0 {
		t.Skipf("get_mempolicy: %v", errno)
	}
	if policy != 1 || mask[0] != 1 {
		t.Errorf("policy %d of the nodes %x", policy, mask)
	}
}

//go:build cuda

package device

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nodeOf returns the number of the memory node of the host, a socket or a part of one, that
// the device with a PCI bus id is attached to, from the file system of the machine. It returns
// false if that is unknown.
func nodeOf(root fs.FS, busID string) (node int, known bool) {
	domain, rest, _ := strings.Cut(strings.ToLower(busID), ":")
	for len(domain) > 4 && domain[0] == '0' { // the system's names have four digits or more
		domain = domain[1:]
	}
	text, err := fs.ReadFile(root, "sys/bus/pci/devices/"+domain+":"+rest+"/numa_node")
	if err != nil {
		return 0, false
	}
	node, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return node, err == nil && node >= 0 // -1: the machine has one node, or does not say
}

// preferNode lets fresh memory take its pages from the node of the device: a copy or a read of
// the device then does not cross the link between the sockets. It has no effect where the node
// is unknown or the system refuses; the memory is usable all the same. Pages come from other
// nodes when the node has none left.
func (d *Device) preferNode(fresh []byte) {
	if node, known := nodeOf(os.DirFS("/"), d.properties.BusID); known && len(fresh) > 0 {
		_ = preferred(fresh, node)
	}
}

// preferred sets the preferred node of memory that begins with a page.
func preferred(fresh []byte, node int) error {
	const policy = 1 // MPOL_PREFERRED
	mask := make([]uint64, node/64+1)
	mask[node/64] = 1 << (node % 64)
	bits := uintptr(64*len(mask) + 1) // the system takes one bit fewer
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(fresh))), uintptr(len(fresh)), policy,
		uintptr(unsafe.Pointer(unsafe.SliceData(mask))), bits, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

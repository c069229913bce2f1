//go:build cuda

package device

import (
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"graph500/device/driver"
)

// Count returns the number of GPUs that CUDA_VISIBLE_DEVICES selects.
func Count() (int, error) {
	if err := driver.Load(); err != nil {
		return 0, err
	}
	n, err := cu.NumDevices()
	return n, failed("cuDeviceGetCount", err)
}

// BusIDs returns the PCI bus ids of the GPUs that CUDA_VISIBLE_DEVICES selects, by ordinal.
func BusIDs() ([]string, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	ids := make([]string, n)
	for i := range ids {
		if ids[i], err = busID(i); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// BusIDsOf is BusIDs for the GPUs with these ordinals.
func BusIDsOf(ordinals []int) ([]string, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		if err := checkOrdinal(ordinal, n); err != nil {
			return nil, err
		}
		if ids[i], err = busID(ordinal); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func busID(ordinal int) (string, error) {
	d, err := cu.GetDevice(ordinal)
	if err != nil {
		return "", failed("cuDeviceGet", err)
	}
	id, err := driver.BusID(d)
	return id, failed("cuDeviceGetPCIBusId", err)
}

// NoPeerAccess is the error for two GPUs that cannot access each other's memory.
type NoPeerAccess struct {
	From, To         int    // ordinals
	FromName, ToName string // of the GPUs
}

func (e *NoPeerAccess) Error() string {
	return fmt.Sprintf("GPU %d (%s) cannot access the memory of GPU %d (%s)", e.From, e.FromName, e.To, e.ToName)
}

// CheckPeers returns a *NoPeerAccess if a GPU of this process, given by its ordinal, cannot
// access the memory of another GPU that the process sees and whose bus id is given.
func CheckPeers(ordinals []int, busIDs []string) error {
	visible, err := BusIDs()
	if err != nil {
		return err
	}
	for _, ordinal := range ordinals {
		from, err := cu.GetDevice(ordinal)
		if err != nil {
			return failed("cuDeviceGet", err)
		}
		name, err := from.Name()
		if err != nil {
			return failed("cuDeviceGetName", err)
		}
		for other, id := range visible {
			if other == ordinal || !slices.Contains(busIDs, id) {
				continue
			}
			if err := checkPeer(from, name, cu.Device(other)); err != nil {
				return err
			}
		}
	}
	return nil
}

// peerAccessEnabled is CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED.
const peerAccessEnabled = 704

// enablePeers lets the kernels of each device access the memory of the others.
func enablePeers(devices []*Device) error {
	for _, from := range devices {
		for _, to := range devices {
			if from == to {
				continue
			}
			if err := from.enablePeer(to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Device) enablePeer(other *Device) error {
	if err := d.checkPeer(other.device); err != nil {
		return err
	}
	return d.do(func() error {
		err := other.context.EnablePeerAccess(0)
		if err != nil && driver.Code(err) == peerAccessEnabled {
			return nil
		}
		return failed("cuCtxEnablePeerAccess", err)
	})
}

// checkPeer returns an error if the device cannot access the memory of another GPU.
func (d *Device) checkPeer(other cu.Device) error {
	return checkPeer(d.device, d.properties.Name, other)
}

func checkPeer(from cu.Device, fromName string, other cu.Device) error {
	can, err := from.CanAccessPeer(other)
	if err != nil {
		return failed("cuDeviceCanAccessPeer", err)
	}
	if can != 0 {
		return nil
	}
	name, err := other.Name()
	if err != nil {
		return failed("cuDeviceGetName", err)
	}
	return &NoPeerAccess{int(from), int(other), fromName, name}
}

//go:build cuda

package nvml

import (
	"fmt"

	"golang.org/x/sys/unix"

	"graph500/energy"
)

// Board is the board of a GPU.
type Board struct {
	name   string
	device uintptr
}

// Open returns the board of the GPU with this PCI bus id, such as "0000:1b:00.0".
func Open(busID string) (*Board, error) {
	if err := load(); err != nil {
		return nil, err
	}
	var b Board
	if err := check("nvmlDeviceGetHandleByPciBusId", nvml.Handle(busID, &b.device)); err != nil {
		return nil, fmt.Errorf("GPU %s: %w", busID, err)
	}
	var text [96]byte // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	if err := check("nvmlDeviceGetName", nvml.Name(b.device, &text[0], uint32(len(text)))); err != nil {
		return nil, fmt.Errorf("GPU %s: %w", busID, err)
	}
	b.name = unix.ByteSliceToString(text[:]) + " " + busID
	return &b, nil
}

// EnergyCounter returns the energy counter of the board.
func (b *Board) EnergyCounter() (energy.Counter, error) {
	c := energy.Counter{Part: energy.Boards, Name: b.name, Read: b.totalEnergy}
	if _, err := c.Read(); err != nil {
		return energy.Counter{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

// totalEnergy returns the energy of the board in microjoules since the driver was loaded.
func (b *Board) totalEnergy() (uint64, error) {
	var millijoules uint64
	err := check("nvmlDeviceGetTotalEnergyConsumption", nvml.TotalEnergy(b.device, &millijoules))
	return 1000 * millijoules, err
}

// clockKind is a kind of clock (nvmlClockType_t).
type clockKind int32

const (
	smClock     clockKind = 1
	memoryClock clockKind = 2
)

// State reads the state of the board. What the GPU does not tell is unknown: consumer cards
// have no error correction, and a container can hide processes.
func (b *Board) State() (s State) {
	s.SMClock, s.MemoryClock = b.clock(smClock), b.clock(memoryClock)
	var milliwatts, ecc, pending, processes uint32
	var reasons uint64
	if nvml.PowerLimit(b.device, &milliwatts) == success {
		s.PowerLimit = float64(milliwatts) / 1000
	}
	if nvml.ECC(b.device, &ecc, &pending) == success {
		on := ecc != 0
		s.ECC = &on
	}
	if nvml.Reasons(b.device, &reasons) == success {
		s.Slowed = slowedBy(reasons)
	}
	if code := nvml.Processes(b.device, &processes, nil); code == success || code == tooSmall {
		n := int(processes)
		s.Processes = &n
	}
	return s
}

// clock returns a clock in MHz, or 0.
func (b *Board) clock(kind clockKind) int {
	var mhz uint32
	if nvml.Clock(b.device, kind, &mhz) != success {
		return 0
	}
	return int(mhz)
}

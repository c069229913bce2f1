//go:build cuda

package kernels

import (
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/kronecker"
)

const (
	// generateThreads is the number of threads of a block of generate.cu.
	generateThreads = 128
	// generateBlock is the number of tuples that a block makes.
	generateBlock = 64 * generateThreads
	// checksumGrid is enough blocks to fill any device.
	checksumGrid = 1 << 12
)

// Generator makes the tuples of one official Kronecker graph in the device's
// memory, those of package kronecker.
type Generator struct {
	scale      int
	scrambling kronecker.Scrambling
	kernel     *Kernel
	step       [5]int32          // jump from a thread's tuple to its next
	streams    *Array[[5]uint32] // of tuples 0 to 255
	jumps      *Array[[5]int32]  // row 256 d + j: over j 256^(d+1) tuples
}

// NewGenerator prepares the generator of a graph of scale 1..32: about a
// millisecond of the host's time and 41 KB of the device's memory.
func NewGenerator(d *Device, spec kronecker.Spec) (*Generator, error) {
	if spec.Scale < 1 || spec.Scale > 32 {
		return nil, fmt.Errorf("scale %d is not 1..32", spec.Scale)
	}
	kernel, err := d.Kernel("generate", "generate")
	if err != nil {
		return nil, err
	}
	host := kronecker.New(spec)
	g := &Generator{
		scale:      spec.Scale,
		scrambling: host.Scrambling(),
		kernel:     kernel,
		step:       host.Jump(generateThreads),
	}
	if err := g.fillTables(d, host); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// fillTables makes what threads start from.
func (g *Generator) fillTables(d *Device, host *kronecker.Generator) (err error) {
	streams := make([][5]uint32, 256)
	for j := range streams {
		streams[j] = host.Stream(uint64(j))
	}
	jumps := make([][5]int32, 0, 7*256)
	for digit := range 7 {
		for j := range uint64(256) {
			jumps = append(jumps, host.Jump(j<<(8*(digit+1))))
		}
	}
	if g.streams, err = Alloc[[5]uint32](d, "streams of the generator", len(streams)); err != nil {
		return err
	}
	if g.jumps, err = Alloc[[5]int32](d, "jumps of the generator", len(jumps)); err != nil {
		return err
	}
	if err := g.streams.Write(0, streams); err != nil {
		return err
	}
	return g.jumps.Write(0, jumps)
}

// Edges makes the tuples first to first+count-1 of the graph and stores them
// from dst's entry number at on. It returns when the work is queued.
func (g *Generator) Edges(dst *Array[engine.Edge], at, count int, first uint64) error {
	address, err := edgesAt(dst, at, count)
	if err != nil || count == 0 {
		return err
	}
	args := []uint64{address, uint64(count), first, g.streams.Address(), g.jumps.Address()}
	for _, c := range g.step {
		args = append(args, uint64(uint32(c)))
	}
	args = append(args, uint64(g.scale), uint64(g.scrambling.K0), uint64(g.scrambling.K1), uint64(g.scrambling.Shift))
	return g.kernel.Launch((count-1)/generateBlock+1, generateThreads, 0, args...)
}

// Close frees the generator's tables.
func (g *Generator) Close() error {
	return errors.Join(g.streams.Free(), g.jumps.Free())
}

// Checksums are the check sums of tuples that kronecker/testdata/README.md
// defines, under the same names: sums and exclusive ors modulo 2^64. Largest is
// the largest vertex label.
type Checksums struct {
	Lin, LinXor, Mix, MixXor, UndirectedMix, Ordered, Loops, Largest uint64
}

// Checksum computes the sums of count tuples from entry number at on, of which
// the first is number first of its graph, and waits for them.
func Checksum(d *Device, tuples *Array[engine.Edge], at, count int, first uint64) (Checksums, error) {
	var sums [1]Checksums
	address, err := edgesAt(tuples, at, count)
	if err != nil || count == 0 {
		return sums[0], err
	}
	kernel, err := d.Kernel("generate", "checksum")
	if err != nil {
		return sums[0], err
	}
	onDevice, err := Alloc[Checksums](d, "check sums", len(sums))
	if err != nil {
		return sums[0], err
	}
	err = onDevice.Fill(0)
	if err == nil {
		grid := min(checksumGrid, (count-1)/generateThreads+1)
		err = kernel.Launch(grid, generateThreads, 0, address, uint64(count), first, onDevice.Address())
	}
	if err == nil {
		err = onDevice.Read(0, sums[:])
	}
	return sums[0], errors.Join(err, onDevice.Free())
}

// edgesAt returns the address of the count entries from at on.
func edgesAt(tuples *Array[engine.Edge], at, count int) (uint64, error) {
	if count < 0 {
		return 0, fmt.Errorf("%d tuples are no range of an array", count)
	}
	address, _, err := tuples.part(at, count)
	return uint64(address), err
}

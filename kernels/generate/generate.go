//go:build cuda

package generate

import (
	"embed"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/kronecker"
)

//go:embed compiled
var images embed.FS

// Load loads the module for labels of 32 or, if wide, of 48 bits, so that later calls do not
// load it.
func Load(d *device.Device, wide bool) error {
	_, err := module(d, wide)
	return err
}

func module(d *device.Device, wide bool) (*device.Module, error) {
	return d.Load("generate", images, ModuleOf("generate", wide))
}

// ModuleOf returns the name of the module of kernels that read or write tuples: that of
// NAME.cu, or for labels of 48 bits of NAME48.cu.
func ModuleOf(name string, wide bool) string {
	if wide {
		return name + "48"
	}
	return name
}

const (
	// generateThreads is the number of threads per block in generate.cu.
	generateThreads = 128
	// generateBlock is the number of tuples that a block generates.
	generateBlock = 64 * generateThreads
)

// Generator generates the tuples of one official Kronecker graph in the device's
// memory, with their weights if it is weighted, identical to those of package kronecker.
type Generator struct {
	weighted   bool
	wide       bool // it generates tuples with labels of 48 bits
	scale      int
	tuples     uint64 // of the graph
	scrambling kronecker.Scrambling
	kernel     *device.Kernel
	step       [5]int32                // jump from a thread's tuple to its next
	streams    device.Array[[5]uint32] // random streams of tuples 0 to 255
	jumps      device.Array[[5]int32]  // row 256 d + j: jump over j 256^(d+1) tuples
}

const (
	streamCount = 256
	jumpCount   = 7 * 256
)

// arrays declares the memory of a generator. The sizes are the same for all graphs.
func (g *Generator) arrays() []device.Declared {
	return []device.Declared{
		device.Of(&g.streams, "streams of the generator", streamCount),
		device.Of(&g.jumps, "jumps of the generator", jumpCount),
	}
}

// prepare initialises the generator for a graph of scale 1..32. Its arrays must be
// allocated. It takes about a millisecond of host time.
func (g *Generator) prepare(d *device.Device, spec kronecker.Spec) error {
	if spec.Scale < 1 || spec.Scale > 32 {
		return fmt.Errorf("scale %d is not 1..32", spec.Scale)
	}
	m, err := module(d, g.wide)
	if err != nil {
		return err
	}
	name := "generate"
	if g.weighted {
		name = "generate_weighted"
	}
	if g.kernel, err = m.Kernel(name); err != nil {
		return err
	}
	host := kronecker.New(spec)
	g.scale, g.tuples, g.scrambling, g.step = spec.Scale, spec.Tuples(), host.Scrambling(), host.Jump(generateThreads)
	streams := make([][5]uint32, streamCount)
	for j := range streams {
		streams[j] = host.Stream(uint64(j))
	}
	jumps := make([][5]int32, 0, jumpCount)
	for digit := range jumpCount / 256 {
		for j := range uint64(256) {
			jumps = append(jumps, host.Jump(j<<(8*(digit+1))))
		}
	}
	return errors.Join(g.streams.Write(0, streams), g.jumps.Write(0, jumps))
}

// generate generates the tuples first..first+count-1 of the graph and stores them as tuples
// at..at+count-1 of edges (Config.words), and, if the generator is weighted, their weights at
// the same places of weights. It queues the work in the stream and returns at once.
func (g *Generator) generate(edges device.Array[uint32], weights device.Array[float32], at, count int, first uint64) error {
	words := int(Config{Wide: g.wide}.words())
	if at > edges.Len() || count > edges.Len() { // their words could overflow
		return fmt.Errorf("an array of %d tuples has no %d tuples from index %d", edges.Len()/words, count, at)
	}
	address, err := edges.AddressOf(words*at, words*count)
	if err != nil || count == 0 {
		return err
	}
	args := []uint64{address}
	if g.weighted {
		if address, err = weights.AddressOf(at, count); err != nil {
			return err
		}
		args = append(args, address)
	}
	args = append(args, uint64(count), first, g.streams.Address(), g.jumps.Address())
	for _, c := range g.step {
		args = append(args, uint64(uint32(c)))
	}
	args = append(args, uint64(g.scale), uint64(g.scrambling.K0), uint64(g.scrambling.K1), uint64(g.scrambling.Shift))
	return g.kernel.Launch((count-1)/generateBlock+1, generateThreads, 0, args...)
}

package graph

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"graph500/atomicfile"
	"graph500/engine"
)

// GaloisSize returns the bytes of a graph file of Galois, version 1, without edge data: four
// numbers of 64 bits (1, bytes of edge data, rows, arcs), the end of each row in 64 bits, the
// neighbours in 32 bits, and 4 bytes if these are odd.
func GaloisSize(rows, arcs uint64) uint64 { return 8*(4+rows) + 4*(arcs+arcs%2) }

// WriteGalois writes rows to a graph file of Galois, version 1. Offsets has n+1 entries.
func WriteGalois(w io.Writer, offsets []uint64, neighbors []engine.Label) error {
	out := bufio.NewWriterSize(w, 1<<20)
	head := []uint64{1, 0, uint64(len(offsets) - 1), uint64(len(neighbors))}
	var word [8]byte
	for _, list := range [][]uint64{head, offsets[1:]} {
		for _, x := range list {
			binary.LittleEndian.PutUint64(word[:], x)
			_, _ = out.Write(word[:]) // Flush returns the error
		}
	}
	for _, v := range neighbors {
		binary.LittleEndian.PutUint32(word[:], v)
		_, _ = out.Write(word[:4])
	}
	if len(neighbors)%2 == 1 {
		_, _ = out.Write(make([]byte, 4))
	}
	return out.Flush()
}

// WriteLabels writes labels as numbers of 64 bits, little endian.
func WriteLabels(w io.Writer, labels []engine.Label) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var word [8]byte
	for _, v := range labels {
		binary.LittleEndian.PutUint64(word[:], uint64(v))
		_, _ = out.Write(word[:]) // Flush returns the error
	}
	return out.Flush()
}

// ReadLabels reads a file of WriteLabels with labels below vertices.
func ReadLabels(path string, vertices uint64) ([]engine.Label, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, atomicfile.Cause(err))
	}
	if len(data)%8 != 0 {
		return nil, fmt.Errorf("%s: has %d bytes, and not 8 for each label", path, len(data))
	}
	labels := make([]engine.Label, len(data)/8)
	for i := range labels {
		v := binary.LittleEndian.Uint64(data[8*i:])
		if v >= vertices {
			return nil, fmt.Errorf("%s: entry %d is label %d of %d", path, i, v, vertices)
		}
		labels[i] = engine.Label(v)
	}
	return labels, nil
}

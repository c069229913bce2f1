package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"graph500/atomicfile"
)

// WriteParts writes the part of each vertex as METIS does: a number in each line.
func WriteParts(w io.Writer, parts []uint8) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for _, p := range parts {
		line = append(strconv.AppendUint(line[:0], uint64(p), 10), '\n')
		_, _ = out.Write(line) // Flush returns the error
	}
	return out.Flush()
}

// ReadParts reads a file with the part of each vertex, as METIS and other partitioners write
// it: a number below parts in each line. An error names the file and the line.
func ReadParts(path string, parts int) ([]uint8, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, atomicfile.Cause(err))
	}
	defer f.Close()
	var all []uint8
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		p, err := strconv.ParseUint(string(bytes.TrimSpace(lines.Bytes())), 10, 64)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: line %d: %.40q is not the number of a part", path, len(all)+1, lines.Text())
		case p >= uint64(parts):
			return nil, fmt.Errorf("%s: line %d: there is no part %d, they are 0..%d (-parts)", path, len(all)+1, p, parts-1)
		}
		all = append(all, uint8(p))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", path, len(all)+1, atomicfile.Cause(err))
	}
	return all, nil
}

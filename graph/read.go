package graph

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"

	"graph500/engine"
	"graph500/memory"
)

const (
	// maxLine is the length of the longest supported line, in bytes. A file with
	// longer lines is not a graph.
	maxLine = 1 << 16

	// blockSize is the size of a block of text, in bytes. A block and its edges
	// fit in the second-level (L2) cache of common processors.
	blockSize = 1 << 18

	// minLine is the length of the shortest line with an edge, "0 1\n".
	minLine = 4

	// maxParsers is the largest number of parsing goroutines. The goroutine that
	// reads and decompresses cannot supply more.
	maxParsers = 16

	// maxVertex is the largest vertex number.
	maxVertex = engine.None - 1
)

// Options say what Read takes from a file.
type Options struct {
	Weighted bool // the weights of the edges
	Integers bool // the weights are whole numbers, kept exactly (engine.IntegerWeight); others are an error
	Renumber bool // the vertices of an edge list are names, numbered in the order of appearance
}

// File is a graph read from a file.
type File struct {
	Vertices uint64 // N

	// Tuples holds one undirected edge per entry of the file, in the order of
	// the file, including self loops and repetitions. Of a format that lists each edge
	// at both of its ends it holds every edge once. It is allocated by memory.Alloc.
	Tuples []engine.Edge

	// Weights holds the weight of each tuple, from 0 to engine.LargestWeight, or with
	// Integers engine.IntegerWeight. It is allocated by memory.Alloc. It is nil if the weights were not asked for or
	// the file has none.
	Weights []float32

	// WholeWeights is true if all weights are whole numbers.
	WholeWeights bool

	// Symmetrised is true if the file does not declare its entries undirected,
	// so that an entry (u, v) was converted to an undirected edge.
	Symmetrised bool

	// BothWays is the share of the edges that the file holds in both
	// directions, 0 to 1, not counting self loops and repetitions. For a large
	// file it is an estimate from a sample.
	BothWays float64

	Connected uint64 // vertices with an edge to another vertex

	Names []string // of the vertices in the file, with Renumber; else nil

	Notes    []string // how the file was understood, one line each
	Warnings []string // what is probably wrong with the file, one line each
}

// Read reads a graph from a file. Its beginning and its name decide its format: Matrix
// Market, DIMACS, METIS, a binary graph of the GAP benchmark suite or of Galois, otherwise
// an edge list with one edge per line, such as those of SNAP, KONECT and LDBC Graphalytics.
// A file compressed with gzip, zstd or bzip2 is detected by its first bytes, and so is an
// archive (tar, zip) with one graph in it. Errors name the line.
//
// With Weighted, it also reads the weights, if the file has any: the third column
// of an edge list, or what the format calls so. They are rounded to the
// nearest float32. Either all lines of a list hold a weight or none does. Otherwise the
// third column may hold anything.
func Read(ctx context.Context, path string, options Options) (*File, error) {
	limit, err := memory.Available()
	if err != nil {
		limit = memory.Limit{Bytes: math.MaxUint64, Source: "no limit known"} // allocations may still fail
	}
	return read(ctx, path, options, limit)
}

// read is Read with a limit to the memory of the tuples.
func read(ctx context.Context, path string, options Options, limit memory.Limit) (*File, error) {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := openSource(reading, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r := &reader{source: s, weighted: options.Weighted, integers: options.Integers, renumber: options.Renumber, tuples: tupleList{limit: limit}, cancel: cancel}
	f, err := r.read(reading)
	if err == nil {
		if err = f.examine(ctx, options.Integers); err == nil {
			if s.trailing() {
				f.Warnings = append(f.Warnings, "other bytes follow the end of the gzip stream: they are ignored, as by gzip")
			}
			return f, nil
		}
		err = errors.Join(err, memory.Free(f.Tuples), memory.Free(f.Weights))
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, errors.Join(err, r.tuples.free())
}

// examine sets what follows from the tuples.
func (f *File) examine(ctx context.Context, integers bool) (err error) {
	if f.BothWays, err = bothWays(ctx, f.Tuples); err != nil {
		return err
	}
	if f.Connected, err = connected(ctx, f.Tuples, f.Vertices); err != nil {
		return err
	}
	var growing bool
	if f.WholeWeights, growing, err = examineWeights(ctx, f.Weights, integers); err == nil && growing {
		f.Warnings = append(f.Warnings, "the weights grow from line to line: they look like timestamps, which are no lengths")
	}
	return err
}

// reader reads one file.
type reader struct {
	*source
	weighted bool      // the weights are asked for
	integers bool      // Options.Integers
	renumber bool      // the vertices are names
	lines    int       // number of lines read
	tuples   tupleList // tuples read
	cancel   context.CancelFunc
}

// read calls the function of the file's format.
func (r *reader) read(ctx context.Context) (*File, error) {
	const byteOrderMark = "\xef\xbb\xbf" // some editors put it before UTF-8 text
	if begin, _ := r.buf.Peek(len(byteOrderMark)); string(begin) == byteOrderMark {
		_, _ = r.buf.Discard(len(byteOrderMark))
	}
	begin, err := r.buf.Peek(maxLine)
	ext := extensionOf(r.name)
	if r.renumber && !r.isMatrixMarket() && bytes.IndexByte(begin, 0) < 0 && ext != ".graph" && ext != ".metis" {
		return r.readNamed(ctx)
	}
	if r.renumber {
		return nil, fmt.Errorf("%s: -renumber is for edge lists: this format has numbers without gaps", r.path)
	}
	switch complete := err == io.EOF; {
	case r.isMatrixMarket():
		return r.readMatrix(ctx)
	case ext == ".sg" || ext == ".wsg":
		return r.readGAP(ctx, ext == ".wsg")
	case isGalois(begin):
		return r.readGalois(ctx)
	case bytes.IndexByte(begin, 0) >= 0:
		return nil, fmt.Errorf("%s: is not text, and no binary format that is read: those are .sg and .wsg (GAP) and .gr (Galois)", r.path)
	case isDIMACS(begin):
		return r.readDIMACS(ctx)
	case ext == ".graph" || ext == ".metis" || isMETIS(begin, complete):
		return r.readMETIS(ctx)
	}
	return r.readList(ctx)
}

// errorAt returns err with the path and the line number.
func (r *reader) errorAt(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", r.path, line, err)
}

// line reads one line and returns it without its line end. It is valid until the
// next call. The error is io.EOF after the last line.
func (r *reader) line() ([]byte, error) {
	text, err := r.buf.ReadSlice('\n')
	if len(text) == 0 && err == io.EOF {
		return nil, err
	}
	r.lines++
	if err == bufio.ErrBufferFull {
		return nil, r.errorAt(r.lines, errLongLine)
	}
	if err != nil && err != io.EOF {
		return nil, r.errorAt(r.lines, r.explain(err))
	}
	return bytes.TrimRight(text, "\r\n"), nil
}

// textBlock is a block of the file that one parser handles.
type textBlock struct {
	buf    []byte // memory of text
	text   []byte // complete lines
	tuples engine.Tuples
	result result
	done   chan struct{}
}

// parse reads the rest of the file, whose lines have the given syntax, and
// appends the tuples to r.tuples. total is the result of the lines before. r.cancel must end
// ctx.
//
// One goroutine reads, decompresses and splits the text at line ends. Several
// goroutines parse, and the caller collects the results in file order.
func (r *reader) parse(ctx context.Context, s *syntax, total result) (result, error) {
	parsers := min(runtime.GOMAXPROCS(0), maxParsers)
	blocks := 2*parsers + 1
	free, order, work := make(chan *textBlock, blocks), make(chan *textBlock, blocks), make(chan *textBlock, blocks)
	for range blocks {
		free <- &textBlock{done: make(chan struct{}, 1)}
	}
	var running sync.WaitGroup
	var readErr error
	running.Go(func() {
		defer close(work)
		defer close(order)
		readErr = r.split(ctx, free, order, work)
	})
	for range parsers {
		running.Go(func() {
			for b := range work {
				b.result = s.parse(b.text, b.tuples)
				b.done <- struct{}{}
			}
		})
	}
	total, err := r.collect(s, total, free, order)
	if err != nil {
		r.cancel() // nobody receives from the channels any more
	}
	running.Wait()
	if err == nil && readErr != nil {
		err = r.errorAt(r.lines+1, readErr)
	}
	return total, err
}

// collect adds the results of the blocks to total in file order and returns the blocks
// to free.
func (r *reader) collect(s *syntax, total result, free chan<- *textBlock, order <-chan *textBlock) (result, error) {
	for b := range order {
		<-b.done
		if left := s.entries - r.tuples.edges.n; uint64(b.result.edges) > left {
			b.result = s.parse(b.text, firstTuples(b.tuples, int(left))) // again, to find the line of the first surplus edge
		}
		if err := r.account(&total, &b.result); err != nil {
			return total, err
		}
		parsed := firstTuples(b.tuples, b.result.edges)
		if !b.result.weighted {
			parsed.Weights = nil
		}
		if err := r.tuples.add(parsed); err != nil {
			return total, fmt.Errorf("%s: %w", r.path, err)
		}
		free <- b
	}
	return total, nil
}

// firstTuples returns the first n tuples of t.
func firstTuples(t engine.Tuples, n int) engine.Tuples {
	t.Edges = t.Edges[:n]
	if t.Weights != nil {
		t.Weights = t.Weights[:n]
	}
	return t
}

// account adds the result of a block to total, except its edges.
func (r *reader) account(total, block *result) error {
	before := r.lines
	r.lines += block.lines
	if total.head != nil && block.head != nil && block.weighted != total.weighted {
		return r.errorAt(before+block.headLine, unevenWeights(block.weighted))
	}
	if block.integers != 0 {
		if total.integers != 0 && block.integers != total.integers {
			return r.errorAt(before+block.integersLine, uneven(block.integers, total.integers))
		}
		total.integers = block.integers
	}
	if total.head == nil && block.edges > 0 {
		total.head, total.headLine = bytes.Clone(block.head), before+block.headLine
		total.weighted = block.weighted
	}
	if block.err != nil {
		return r.errorAt(r.lines, block.err)
	}
	total.largest = max(total.largest, block.largest)
	total.heaviest = max(total.heaviest, block.heaviest)
	total.nodes, total.stated = max(total.nodes, block.nodes), max(total.stated, block.stated)
	total.rounded += block.rounded
	return nil
}

// split fills free blocks with complete lines and sends them to both channels,
// whose capacity is the number of blocks.
func (r *reader) split(ctx context.Context, free <-chan *textBlock, order, work chan<- *textBlock) error {
	var begin []byte // beginning of a line that continues in the next block
	for {
		var b *textBlock
		select {
		case b = <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if b.buf == nil {
			b.buf = make([]byte, blockSize+1) // one more byte for a missing last line end
			b.tuples.Edges = make([]engine.Edge, len(b.buf)/minLine)
			if r.weighted {
				b.tuples.Weights = make([]float32, len(b.tuples.Edges))
			}
		}
		n := copy(b.buf, begin)
		k, err := r.fill(r.buf, b.buf[n:blockSize])
		n += k
		end := bytes.LastIndexByte(b.buf[:n], '\n') + 1
		switch {
		case err == nil && end > 0:
			begin = append(begin[:0], b.buf[end:n]...)
		case err == nil || err == io.EOF && end < n:
			// The last line has no line end, or a line is longer than a block,
			// which the parser reports.
			begin = begin[:0]
			b.buf[n] = '\n'
			end = n + 1
		}
		b.text = b.buf[:end]
		order <- b
		work <- b
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

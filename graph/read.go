package graph

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"sync"

	"graph500/engine"
	"graph500/memory"
)

const (
	// maxLine is the longest line that is read, bytes. A file of longer ones
	// is no graph.
	maxLine = 1 << 16

	// blockSize is how much text is parsed at once. With the edges made of it
	// a block stays in the second-level cache of common processors.
	blockSize = 1 << 18

	// minLine is the shortest line that holds an edge: "0 1\n".
	minLine = 4

	// maxParsers bounds the parsing goroutines: the one that reads and
	// decompresses cannot feed more.
	maxParsers = 16

	// tarMagic stands at this offset of a tar archive (POSIX.1-1988).
	tarMagic   = "ustar"
	tarMagicAt = 257

	// maxVertex is the largest vertex number.
	maxVertex = engine.None - 1
)

// File is a graph read from a file.
type File struct {
	Vertices uint64 // N

	// Tuples holds one undirected edge for each entry of the file, in the
	// order of the file, self loops and repetitions included. It comes from
	// memory.Alloc.
	Tuples []engine.Edge

	// Symmetrised says that the file does not declare its entries undirected,
	// so that taking (u, v) for an edge between u and v is our reading of it.
	Symmetrised bool

	// BothWays is the share of the edges, self loops and repetitions apart, that
	// the file holds in both directions: 0 to 1, exact or, for a large file, that
	// of a sample.
	BothWays float64
}

// Read reads a graph: a Matrix Market file if it begins as one or is called
// .mtx, else a list of edges, a line each. A file compressed with gzip, zstd or
// bzip2 is known by its first bytes. Errors name the line.
func Read(ctx context.Context, path string) (*File, error) {
	limit, err := memory.Available()
	if err != nil {
		limit = memory.Limit{Bytes: math.MaxUint64, Source: "no limit known"} // the system has to say no
	}
	return read(ctx, path, limit)
}

// read is Read with a limit to the memory that the tuples may take.
func read(ctx context.Context, path string, limit memory.Limit) (*File, error) {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := openStream(reading, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r := &lineReader{path: path, stream: s, buf: bufio.NewReaderSize(s, maxLine), edges: edgeList{limit: limit}, cancel: cancel}
	f, err := r.read(reading)
	if err == nil {
		if f.BothWays, err = bothWays(ctx, f.Tuples); err == nil {
			return f, nil
		}
		err = errors.Join(err, memory.Free(f.Tuples))
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, errors.Join(err, r.edges.free())
}

// lineReader reads one file of lines.
type lineReader struct {
	path   string
	stream *stream
	buf    *bufio.Reader
	lines  int      // read so far
	edges  edgeList // read so far
	cancel context.CancelFunc
}

func (r *lineReader) read(ctx context.Context) (*File, error) {
	const byteOrderMark = "\xef\xbb\xbf" // some editors put it before UTF-8 text
	if begin, _ := r.buf.Peek(len(byteOrderMark)); string(begin) == byteOrderMark {
		_, _ = r.buf.Discard(len(byteOrderMark))
	}
	if begin, err := r.buf.Peek(tarMagicAt + len(tarMagic)); err == nil && string(begin[tarMagicAt:]) == tarMagic {
		return nil, fmt.Errorf("%s: is a tar archive, which is not read: unpack it and name the file in it that holds the graph", r.path)
	}
	if r.isMatrixMarket() {
		return r.readMatrix(ctx)
	}
	return r.readList(ctx)
}

// errorAt names a line in an error.
func (r *lineReader) errorAt(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", r.path, line, err)
}

// line reads one line, without its end; it is valid until the next call. The
// error is io.EOF after the last one.
func (r *lineReader) line() ([]byte, error) {
	text, err := r.buf.ReadSlice('\n')
	if len(text) == 0 && err == io.EOF {
		return nil, err
	}
	r.lines++
	if err == bufio.ErrBufferFull {
		return nil, r.errorAt(r.lines, errLongLine)
	}
	if err != nil && err != io.EOF {
		return nil, r.errorAt(r.lines, r.stream.explain(err))
	}
	return bytes.TrimRight(text, "\r\n"), nil
}

// textBlock is a piece of the file on its way through the parsers.
type textBlock struct {
	buf    []byte // room for text
	text   []byte // whole lines
	edges  []engine.Edge
	result result
	done   chan struct{}
}

// parse reads the rest of the file, lines of the given syntax, and adds what
// it finds to r.edges. ctx must be the one that r.cancel ends.
//
// One goroutine reads, decompresses and cuts the text at line ends, some
// parse, and the caller collects the results in the order of the file.
func (r *lineReader) parse(ctx context.Context, s *syntax) (total result, err error) {
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
		readErr = r.cut(ctx, free, order, work)
	})
	for range parsers {
		running.Go(func() {
			for b := range work {
				b.result = s.parse(b.text, b.edges)
				b.done <- struct{}{}
			}
		})
	}
	if total, err = r.collect(s, free, order); err != nil {
		r.cancel() // nobody empties the channels any more
	}
	running.Wait()
	if err == nil && readErr != nil {
		err = r.errorAt(r.lines+1, readErr)
	}
	return total, err
}

// collect takes the blocks in order and gives them back.
func (r *lineReader) collect(s *syntax, free chan<- *textBlock, order <-chan *textBlock) (total result, err error) {
	for b := range order {
		<-b.done
		if left := s.entries - r.edges.n; uint64(b.result.edges) > left {
			b.result = s.parse(b.text, b.edges[:left]) // finds the line of the first one too many
		}
		if err := r.account(&total, &b.result); err != nil {
			return total, err
		}
		if err := r.edges.add(b.edges[:b.result.edges]); err != nil {
			return total, fmt.Errorf("%s: %w", r.path, err)
		}
		free <- b
	}
	return total, nil
}

// account adds what a block holds to total, edges apart.
func (r *lineReader) account(total, block *result) error {
	before := r.lines
	r.lines += block.lines
	if block.whole != 0 {
		if total.whole != 0 && block.whole != total.whole {
			return r.errorAt(before+block.wholeLine, uneven(block.whole, total.whole))
		}
		total.whole = block.whole
	}
	if total.head == nil && block.edges > 0 {
		total.head, total.headLine = bytes.Clone(block.head), before+block.headLine
	}
	if block.err != nil {
		return r.errorAt(r.lines, block.err)
	}
	total.largest = max(total.largest, block.largest)
	total.nodes = max(total.nodes, block.nodes)
	return nil
}

// cut fills free blocks with whole lines and sends them on to both channels,
// which have room for all blocks.
func (r *lineReader) cut(ctx context.Context, free <-chan *textBlock, order, work chan<- *textBlock) error {
	var begin []byte // of a line that the next block goes on with
	for {
		var b *textBlock
		select {
		case b = <-free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if b.buf == nil {
			b.buf = make([]byte, blockSize+1) // one more to end the last line
			b.edges = make([]engine.Edge, len(b.buf)/minLine)
		}
		n := copy(b.buf, begin)
		k, err := r.stream.fill(r.buf, b.buf[n:blockSize])
		n += k
		end := bytes.LastIndexByte(b.buf[:n], '\n') + 1
		switch {
		case err == nil && end > 0:
			begin = append(begin[:0], b.buf[end:n]...)
		case err == nil || err == io.EOF && end < n:
			// The last line lacks its end, or it is longer than a block, which
			// the parser will say.
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

// edgeList grows in pieces outside the Go heap, so that growing never copies
// and never needs twice the memory.
type edgeList struct {
	pieces [][]engine.Edge // all full but the last
	used   int             // of the last piece
	n      uint64          // edges in all
	limit  memory.Limit
}

// pieceEdges is the size of a piece: 32 MiB.
const pieceEdges = 1 << 22

// check returns an error if n edges take more memory than there is.
func (l *edgeList) check(n uint64) error {
	const size = 8 // bytes of an edge in memory
	if n <= l.limit.Bytes/size {
		return nil
	}
	high, needed := bits.Mul64(n, size)
	if high != 0 {
		needed = math.MaxUint64
	}
	return fmt.Errorf("%d edges need %s of memory, %s can be had (%s)", n, memory.Size(needed), memory.Size(l.limit.Bytes), l.limit.Source)
}

func (l *edgeList) add(edges []engine.Edge) error {
	if err := l.check(l.n + uint64(len(edges))); err != nil {
		return err
	}
	for len(edges) > 0 {
		if len(l.pieces) == 0 || l.used == pieceEdges {
			p, err := memory.Alloc[engine.Edge](pieceEdges)
			if err != nil {
				return err
			}
			l.pieces = append(l.pieces, p)
			l.used = 0
		}
		k := copy(l.pieces[len(l.pieces)-1][l.used:], edges)
		edges = edges[k:]
		l.used += k
		l.n += uint64(k)
	}
	return nil
}

// join returns all edges in one array and empties the list. Each piece is
// given back when it is copied.
func (l *edgeList) join(ctx context.Context) ([]engine.Edge, error) {
	all, err := memory.Alloc[engine.Edge](int(l.n))
	if err != nil {
		return nil, err
	}
	at := 0
	for len(l.pieces) > 0 {
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), memory.Free(all))
		}
		at += copy(all[at:], l.pieces[0])
		p := l.pieces[0]
		l.pieces = l.pieces[1:]
		if err := memory.Free(p); err != nil {
			return nil, errors.Join(err, memory.Free(all))
		}
	}
	l.n = 0
	return all, nil
}

func (l *edgeList) free() error {
	var err error
	for _, p := range l.pieces {
		err = errors.Join(err, memory.Free(p))
	}
	l.pieces = nil
	return err
}

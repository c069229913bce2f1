package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"graph500/engine"
)

// addWeight stores the weight of the edge that was parsed from line, in dst. The
// first line with an edge decides whether the block has weights; a line that
// differs is an error.
func (s *syntax) addWeight(dst *float32, line []byte, r *result) error {
	column := s.thirdColumn(line)
	if r.edges == 0 {
		r.weighted = len(column) > 0
	}
	if weighted := len(column) > 0; weighted != r.weighted {
		return unevenWeights(weighted)
	} else if !weighted {
		return nil
	}
	if s.wholeWeights {
		return s.addInteger(dst, column)
	}
	var err error
	*dst, err = parseWeight(column)
	r.heaviest = max(r.heaviest, *dst)
	if err == nil && len(column) > 7 && digits(column) && len(column) < 20 {
		if n, _ := strconv.ParseUint(string(column), 10, 64); float64(n) != float64(*dst) {
			r.rounded++
		}
	}
	return err
}

// addInteger stores a weight that is a whole number, in dst.
func (s *syntax) addInteger(dst *float32, column []byte) (err error) {
	if !digits(column) {
		if _, err := parseWeight(column); err != nil {
			return err
		}
		return fmt.Errorf("weight %.40s is not a whole number", column)
	}
	n, err := strconv.ParseUint(string(column), 10, 64)
	if err == nil {
		*dst, err = integerWeight(n)
	} else {
		err = tooLargeInteger(string(column))
	}
	return err
}

// integerWeight returns the element of the weights for a whole number.
func integerWeight(n uint64) (float32, error) {
	if n > engine.LargestInteger {
		return 0, tooLargeInteger(strconv.FormatUint(n, 10))
	}
	return engine.IntegerWeight(uint32(n)), nil
}

func tooLargeInteger(number string) error {
	return fmt.Errorf("weight %.40s is too large, whole numbers are at most %d: divide all weights by one number", number, engine.LargestInteger)
}

// wholeWeight returns the weight of a tuple for a whole number of a binary file or a METIS file, and
// counts those that float32 cannot hold.
func (r *reader) wholeWeight(n uint64, rounded *uint64) (float32, error) {
	if r.integers {
		return integerWeight(n)
	}
	w := float32(n)
	if float64(w) != float64(n) {
		*rounded++
	}
	return w, nil
}

// checkHeaviest returns an error if a path of a graph with the given number of vertices
// could have an infinite length.
func (r *reader) checkHeaviest(heaviest float32, vertices uint64) error {
	if largest := engine.LargestWeight(vertices); !r.integers && heaviest > largest {
		return fmt.Errorf("%s: weight %g is too large for %d vertices, whose paths could be longer than float32 can hold: scale all weights down so that the largest is at most %g",
			r.path, heaviest, vertices, largest)
	}
	return nil
}

// exactWhole is the largest whole number up to which float32 holds all of them.
const exactWhole = 1 << 24

// roundedWeights returns the warning about n weights that float32 cannot hold.
func roundedWeights(n uint64) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d weights are whole numbers above %d that float32 cannot hold: they were rounded to the nearest one that it can; -weights=integer keeps them", n, exactWhole)}
}

// examineWeights reports whether all weights are whole numbers, and whether these are above
// exactWhole and grow from one to the next, as timestamps do. Both are false without weights.
// With integers they are whole numbers already.
func examineWeights(ctx context.Context, weights []float32, integers bool) (whole, growing bool, err error) {
	whole, growing = len(weights) > 0, true
	last, large := float32(0), float32(exactWhole)
	if integers {
		large = engine.IntegerWeight(exactWhole)
	}
	for part := range slices.Chunk(weights, block) {
		if ctx.Err() != nil {
			return false, false, context.Cause(ctx)
		}
		for _, w := range part {
			whole = whole && (integers || w == float32(math.Trunc(float64(w))))
			growing = growing && w >= last
			last = w
		}
		if !whole {
			break
		}
	}
	return whole, whole && growing && last > large && weights[0] < last, nil
}

// unevenWeights returns the error of a line that holds a weight or not, unlike the
// lines before.
func unevenWeights(weighted bool) error {
	if weighted {
		return errors.New("a weight in the third column, the lines before have none")
	}
	return errors.New("no weight in the third column, the lines before have one")
}

// thirdColumn returns the third column of a line with an edge, which may have a
// line end. It is empty if the line has none. Columns are those of the method
// columns.
func (s *syntax) thirdColumn(line []byte) []byte {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	line = trimBlanks(s.withoutComment(line))
	if s.letter != 0 {
		line = trimBlanks(line[1:])
	}
	end := 0
	for end < len(line) && !blank(line[end]) && (line[end] != ',' || s.matrix > 0) {
		end++
	}
	rest := trimBlanks(line[end:])
	if s.matrix == 0 && len(rest) > 0 && rest[0] == ',' {
		_, rest, _ = bytes.Cut(rest[1:], []byte(","))
		column, _, _ := bytes.Cut(rest, []byte(","))
		return trimBlanks(column)
	}
	rest = trimBlanks(rest[columnEnd(rest):])
	return rest[:columnEnd(rest)]
}

// columnEnd returns the end of the column at the start of text, which ends at a
// blank.
func columnEnd(text []byte) int {
	for i, c := range text {
		if blank(c) {
			return i
		}
	}
	return len(text)
}

// parseWeight returns the float32 nearest to a decimal number, which must be finite
// and not negative.
func parseWeight(column []byte) (float32, error) {
	for _, c := range column {
		// ParseFloat would accept hexadecimal numbers, _, inf and nan, too.
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, notWeight(column)
		}
	}
	w, err := strconv.ParseFloat(string(column), 32)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, notWeight(column)
	case w < 0:
		return 0, fmt.Errorf("weight %.40s is negative", column)
	case err != nil:
		return 0, fmt.Errorf("weight %.40s is too large, the largest is %g", column, float32(math.MaxFloat32))
	case w == 0:
		return 0, nil // for -0 too
	}
	return float32(w), nil
}

func notWeight(column []byte) error { return fmt.Errorf("%.40q is not a weight", column) }

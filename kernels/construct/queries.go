//go:build cuda

package construct

import (
	"fmt"

	"graph500/device"
	"graph500/engine"
)

// queryBatch is the number of vertices that are looked up per launch.
const queryBatch = 1 << 10

// vertexQueries looks up vertices in an index of rows.
type vertexQueries struct {
	device  *device.Device
	queries device.Array[engine.Label]
	answers device.Array[bool]
}

func (q *vertexQueries) arrays() []device.Declared {
	return []device.Declared{
		device.Of(&q.queries, "vertices asked for", queryBatch),
		device.Of(&q.answers, "answers", queryBatch),
	}
}

// has returns for each vertex whether it has a row in an index of a range of labels, of which
// index is the address of the word of label 0. A vertex outside the range is an error.
func (q *vertexQueries) has(labels Range, index uint64, vertices []engine.Vertex) ([]bool, error) {
	for _, v := range vertices {
		if uint64(v) < labels.First || uint64(v) >= labels.End {
			return nil, fmt.Errorf("graph: vertex %d is not among %d..%d", v, labels.First, int64(labels.End)-1)
		}
	}
	has := make([]bool, len(vertices))
	queries := make([]engine.Label, len(vertices))
	for i, v := range vertices {
		queries[i] = engine.Label(v)
	}
	for first := 0; first < len(queries); first += queryBatch {
		batch := queries[first:min(first+queryBatch, len(queries))]
		if err := q.queries.Write(0, batch); err != nil {
			return nil, err
		}
		n := uint64(len(batch))
		if err := (launcher{q.device}).run("index", "construct_has", tilesOf(n, rowThreads), rowThreads,
			index, q.queries.Address(), n, q.answers.Address()); err != nil {
			return nil, err
		}
		if err := q.answers.Read(0, has[first:][:n]); err != nil {
			return nil, err
		}
	}
	return has, nil
}

package run

import (
	"fmt"

	"graph500/divide"
	"graph500/graph"
	"graph500/partition"
)

// Rows returns the rows of the graph of BFS that this rank has, of an engine that shows them.
func (b *Bench) Rows() (divide.Share, error) {
	holder, ok := b.engine.(interface {
		Rows() (partition.Ranges, *graph.CSR)
	})
	if !ok {
		return divide.Share{}, fmt.Errorf("the %s engine does not show its graph", b.Record.Engine.Name)
	}
	return divide.Plain(holder.Rows()), nil
}

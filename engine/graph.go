package engine

import "encoding/json"

// Graph describes what construction made of the tuples.
type Graph struct {
	Vertices   int64 `json:"vertices"`   // N, isolated ones included
	Connected  int64 `json:"connected"`  // vertices with an edge other than a self loop
	Tuples     int64 `json:"tuples"`     // M, input tuples
	SelfLoops  int64 `json:"self_loops"` // tuples with equal ends, dropped
	Duplicates int64 `json:"duplicates"` // tuples that repeat an edge, dropped
	Arcs       int64 `json:"arcs"`       // stored directed edges
	MaxDegree  int64 `json:"max_degree"` // largest number of distinct neighbours

	// Regenerated says that the tuples had no room in memory: construction and
	// validation made them again.
	Regenerated bool `json:"tuples_regenerated"`
}

// Isolated returns the number of vertices without an edge to another vertex.
func (g Graph) Isolated() int64 { return g.Vertices - g.Connected }

// IsolatedShare returns Isolated over Vertices, 0 to 1; 0 for no vertices.
func (g Graph) IsolatedShare() float64 {
	if g.Vertices == 0 {
		return 0
	}
	return float64(g.Isolated()) / float64(g.Vertices)
}

// MarshalJSON adds the isolated vertices and their share.
func (g Graph) MarshalJSON() ([]byte, error) {
	type fields Graph
	return json.Marshal(struct {
		fields
		Isolated      int64   `json:"isolated"`
		IsolatedShare float64 `json:"isolated_share"`
	}{fields(g), g.Isolated(), g.IsolatedShare()})
}

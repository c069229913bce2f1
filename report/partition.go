package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Partitioning is the result of dividing one graph by several policies.
type Partitioning struct {
	Setup
	Parts       int            `json:"parts"`
	Threshold   uint64         `json:"threshold"`  // largest degree of a row that is not a hub
	Rounds      int            `json:"rounds"`     // of the choice of masters by rules that look at neighbours
	RowWeight   uint64         `json:"row_weight"` // work of reading a row
	ArcWeight   uint64         `json:"arc_weight"` // work of reading an arc
	MastersFile string         `json:"masters_file,omitempty"`
	Rows        uint64         `json:"rows"` // vertices with an edge to another vertex
	Arcs        uint64         `json:"arcs"`
	Reading     float64        `json:"reading_time"` // seconds: to number the rows and bring them to their readers
	Policies    []PolicyResult `json:"policies"`
}

// PolicyResult is a division by one policy. The columns are those of the CSV format.
type PolicyResult struct {
	Policy  string `json:"policy"`
	Masters string `json:"masters"` // name of the rule
	Owner   string `json:"owner"`   // name of the rule

	MasterMaxMean float64 `json:"master_max_mean"` // most masters of a part / mean
	VertexMaxMean float64 `json:"vertex_max_mean"` // most proxies of a part / mean
	EdgeMaxMean   float64 `json:"edge_max_mean"`   // most arcs of a part / mean
	Replication   float64 `json:"replication"`     // proxies / rows
	Mirrors       uint64  `json:"mirrors"`
	Cut           uint64  `json:"cut"`    // arcs whose ends have different masters
	Moved         uint64  `json:"moved"`  // arcs whose owner is not the part that reads them
	Groups        uint64  `json:"groups"` // pairs of a row and a part, not its reader, that gets arcs of the row
	Pairs         uint64  `json:"pairs"`  // ordered pairs of parts of which the first has mirrors of the second
	MastersCheck  string  `json:"masters_check"`
	ArcsCheck     string  `json:"arcs_check"`
	ProxiesCheck  string  `json:"proxies_check"`

	MastersByPart []uint64 `json:"masters_by_part"`
	ProxiesByPart []uint64 `json:"proxies_by_part"`
	ArcsByPart    []uint64 `json:"arcs_by_part"`

	// Bytes that the parts send each other, if each has a rank.
	MastersBytes  uint64 `json:"masters_bytes"`
	CountingBytes uint64 `json:"counting_bytes"`
	ExchangeBytes uint64 `json:"exchange_bytes"`

	// Seconds of the phases.
	MastersTime      float64 `json:"masters_time"`
	CountingTime     float64 `json:"counting_time"`
	AllocationTime   float64 `json:"allocation_time"`
	ExchangeTime     float64 `json:"exchange_time"`
	ConstructionTime float64 `json:"construction_time"`

	Memory uint64 `json:"memory_bytes"` // of the rank with the largest parts, by the plan after counting
}

// Bytes returns the bytes of all phases.
func (r *PolicyResult) Bytes() uint64 { return r.MastersBytes + r.CountingBytes + r.ExchangeBytes }

// Seconds returns the time of all phases.
func (r *PolicyResult) Seconds() float64 {
	return r.MastersTime + r.CountingTime + r.AllocationTime + r.ExchangeTime + r.ConstructionTime
}

// PartitionJSONFile is the name of the file of a partitioning that is read again.
const PartitionJSONFile = "partition.json"

// PartitionFormats lists the formats of a partitioning, the default first.
func PartitionFormats() []Format[Partitioning] {
	return []Format[Partitioning]{
		{"markdown", "partition.md", PartitionMarkdown},
		{"json", PartitionJSONFile, PartitionJSON},
		{"csv", "partition.csv", PartitionCSV},
		{"", "partition.svg", PartitionChart},
	}
}

// title describes the graph and the parts.
func (p *Partitioning) title() string {
	return fmt.Sprintf("%s, scale %d, edgefactor %.7g: %d rows, %d arcs, %d parts", filepath.Base(p.Input.Source), p.Input.Scale, p.Input.EdgeFactor, p.Rows, p.Arcs, p.Parts)
}

// PartitionMarkdown writes a table with a line for each policy.
func PartitionMarkdown(w io.Writer, p *Partitioning) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s; rows read in %.3f s; %d ranks, %d threads each\n\n", p.title(), p.Reading, p.Ranks(), p.Engine.Threads)
	text.WriteString("| policy | replication | arcs max/mean | masters max/mean | proxies max/mean | cut | mirrors | moved arcs | pairs | MB sent | masters s | counting s | allocation s | exchange s | construction s | all s |\n")
	text.WriteString("|---|" + strings.Repeat("--:|", 15) + "\n")
	for i := range p.Policies {
		r := &p.Policies[i]
		fmt.Fprintf(&text, "| %s | %.2f | %.3f | %.3f | %.3f | %d | %d | %d | %d | %.2f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
			r.Policy, r.Replication, r.EdgeMaxMean, r.MasterMaxMean, r.VertexMaxMean, r.Cut, r.Mirrors, r.Moved, r.Pairs, float64(r.Bytes())/1e6,
			r.MastersTime, r.CountingTime, r.AllocationTime, r.ExchangeTime, r.ConstructionTime, r.Seconds())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// PartitionJSON writes all fields.
func PartitionJSON(w io.Writer, p *Partitioning) error {
	document := struct {
		SchemaVersion int `json:"schema_version"`
		*Partitioning
	}{SchemaVersion, p}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(document)
}

// PartitionCSV writes a header and a line for each policy.
func PartitionCSV(w io.Writer, p *Partitioning) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"source", "scale", "edgefactor", "rows", "arcs", "threshold", "rounds",
		"parts", "policy", "masters", "owner", "master_max_mean", "vertex_max_mean", "edge_max_mean", "replication",
		"mirrors", "cut", "moved", "groups", "pairs", "masters_check", "arcs_check", "proxies_check",
		"masters_bytes", "counting_bytes", "exchange_bytes", "reading_time", "masters_time", "counting_time", "allocation_time", "exchange_time", "construction_time", "memory_bytes"})
	whole := func(x uint64) string { return strconv.FormatUint(x, 10) }
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	ratio := func(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
	for i := range p.Policies {
		r := &p.Policies[i]
		_ = out.Write([]string{ // out.Error returns the error below
			p.Input.Source, strconv.Itoa(p.Input.Scale), number(p.Input.EdgeFactor), whole(p.Rows), whole(p.Arcs), whole(p.Threshold), strconv.Itoa(p.Rounds),
			strconv.Itoa(p.Parts), r.Policy, r.Masters, r.Owner, ratio(r.MasterMaxMean), ratio(r.VertexMaxMean), ratio(r.EdgeMaxMean), ratio(r.Replication),
			whole(r.Mirrors), whole(r.Cut), whole(r.Moved), whole(r.Groups), whole(r.Pairs), r.MastersCheck, r.ArcsCheck, r.ProxiesCheck,
			whole(r.MastersBytes), whole(r.CountingBytes), whole(r.ExchangeBytes), number(p.Reading),
			number(r.MastersTime), number(r.CountingTime), number(r.AllocationTime), number(r.ExchangeTime), number(r.ConstructionTime), whole(r.Memory),
		})
	}
	out.Flush()
	return out.Error()
}

// PartitionChart writes an SVG chart of replication over imbalance with a mark for each policy.
func PartitionChart(w io.Writer, p *Partitioning) error {
	c := newLineChart("arcs of the largest part / mean")
	var xs, ys []float64
	for i, r := range p.Policies {
		points := plotter.XYs{{X: r.EdgeMaxMean, Y: r.Replication}}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		styleLine(i, line, marks)
		c.add(r.Policy, line, marks)
		xs, ys = append(xs, r.EdgeMaxMean), append(ys, r.Replication)
	}
	x := newAxis(xs)
	c.plot.X.Min, c.plot.X.Max, c.plot.X.Tick.Marker = x.min, x.max, x.ticks
	if x.logarithmic {
		c.plot.X.Scale = plot.LogScale{}
	}
	return c.write(w, heading{printable(p.title()), "proxies of a vertex, mean" + setY(c.plot, newAxis(ys))})
}

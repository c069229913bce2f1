package scaling

import (
	"fmt"
	"math"
	"strings"

	"graph500/engine"
)

// Table is a table in Markdown with what it shows.
type Table struct{ Title, Text string }

// Tables returns all tables of the model for 1 to nodes nodes of a machine; nodes is a
// power of two.
func Tables(m Machine, p Profile, nodes int) []Table {
	return []Table{
		{"Parameters", parameterTable(m)},
		{"Counted levels by scale", countedTable()},
		{fmt.Sprintf("Levels of scale %d, numbers per label", p.Scale), levelTable(p)},
		{"Measured beside modelled", measuredTable(m, p)},
		{"One node, GTEPS and efficiency", hostTable(m, p)},
		{"Over nodes, GTEPS and efficiency", nodeTable(m, p, nodes)},
		{"Smallest scale for an efficiency", neededTable(m, p, nodes)},
		{"Parts of the time", partTable(m, p, nodes)},
		{"Effect of a parameter: GTEPS with half and twice its value", effectTable(m, p, nodes)},
	}
}

// markdown returns a table. The first column and columns whose name begins with "<" are
// text, the others are numbers and aligned right.
func markdown(header []string, rows [][]string) string {
	var text strings.Builder
	line := func(cells []string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	rule := "|"
	names := make([]string, len(header))
	for i, name := range header {
		plain, left := strings.CutPrefix(name, "<")
		names[i] = plain
		if left || i == 0 {
			rule += "---|"
		} else {
			rule += "--:|"
		}
	}
	line(names)
	text.WriteString(rule + "\n")
	for _, cells := range rows {
		line(cells)
	}
	return text.String()
}

// modelled returns x with three digits.
func modelled(x float64) string {
	step := math.Pow(10, math.Floor(math.Log10(x))-2)
	return number(math.Round(x/step) * step)
}

// number returns x with three digits, from 1,000 on with all, and commas between thousands.
func number(x float64) string {
	if x < 1000 {
		return fmt.Sprintf("%.3g", x)
	}
	digits := fmt.Sprintf("%.0f", x)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// perLabel returns a number per label, which is below 2.
func perLabel(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 1e-4:
		return fmt.Sprintf("%.1e", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// percent returns a share with two digits.
func percent(x float64) string {
	if x >= 0.095 {
		return fmt.Sprintf("%.0f %%", 100*x)
	}
	return fmt.Sprintf("%.2g %%", 100*x)
}

func countedTable() string {
	var rows [][]string
	for _, p := range Counted() {
		bottomUp := func(number func(Level) float64) string { return perLabel(p.total(engine.BottomUp, number)) }
		topDown := func(number func(Level) float64) string { return perLabel(p.total(engine.TopDown, number)) }
		rows = append(rows, []string{
			fmt.Sprint(p.Scale), fmt.Sprintf("%.2f", p.Count()), fmt.Sprintf("%.2f", p.total(engine.BottomUp, func(l Level) float64 { return l.Share })),
			topDown(func(l Level) float64 { return l.Found }), topDown(func(l Level) float64 { return l.Arcs }),
			bottomUp(func(l Level) float64 { return l.Found }), bottomUp(func(l Level) float64 { return l.Arcs }),
		})
	}
	return markdown([]string{"scale", "levels", "bottom-up", "found top-down", "arcs top-down", "found bottom-up", "arcs bottom-up"}, rows)
}

func levelTable(p Profile) string {
	var rows [][]string
	for _, l := range p.Levels {
		rows = append(rows, []string{fmt.Sprintf("%+d, %s", l.Place, l.Direction), percent(l.Share), perLabel(l.Frontier), perLabel(l.Found), perLabel(l.Arcs)})
	}
	return markdown([]string{"place, direction", "searches", "frontier", "found", "arcs examined"}, rows)
}

func measuredTable(machine Machine, p Profile) string {
	var rows [][]string
	for _, m := range Measured() {
		gteps := m.Run(machine, p).GTEPS()
		rows = append(rows, []string{fmt.Sprint(m.GPUs), fmt.Sprint(m.Scale), number(m.GTEPS), modelled(gteps), fmt.Sprintf("%+.0f %%", 100*(gteps/m.GTEPS-1))})
	}
	return markdown([]string{"GPUs", "scale", "measured GTEPS", "modelled GTEPS", "difference"}, rows)
}

// rate returns the cell of a run in its better layout: GTEPS and efficiency.
func rate(r Run) string {
	best, fits := r.Best()
	if !fits {
		return ""
	}
	grid := ""
	if best.Layout == Grid {
		grid = " *"
	}
	return fmt.Sprintf("%s (%s)%s", modelled(best.GTEPS()), percent(best.Efficiency()), grid)
}

func hostTable(m Machine, p Profile) string {
	header := []string{"GPUs"}
	var rows [][]string
	for scale := 24; scale <= 32; scale += 2 {
		header = append(header, fmt.Sprint("scale ", scale))
	}
	for gpus := 1; gpus <= 8; gpus *= 2 {
		m.GPUs = gpus
		cells := []string{fmt.Sprint(gpus)}
		for scale := 24; scale <= 32; scale += 2 {
			cells = append(cells, rate(Run{m, p, scale, 1, Ranges}))
		}
		rows = append(rows, cells)
	}
	return markdown(header, rows)
}

// maxScale is the largest scale of the model.
const maxScale = 48

// Scales returns the even scales from 26 on that fit into some number of nodes.
func Scales(m Machine, p Profile, nodes int) (scales []int) {
	for scale := 26; scale <= LargestScale(m, p, nodes); scale += 2 {
		scales = append(scales, scale)
	}
	return scales
}

// LargestScale returns the largest scale that fits into a number of nodes.
func LargestScale(m Machine, p Profile, nodes int) int {
	for scale := maxScale; scale > 1; scale-- {
		if _, fits := (Run{m, p, scale, nodes, Ranges}).Best(); fits {
			return scale
		}
	}
	return 1
}

// NodeCounts returns the powers of two up to nodes.
func NodeCounts(nodes int) (counts []int) {
	for n := 1; n <= nodes; n *= 2 {
		counts = append(counts, n)
	}
	return counts
}

func nodeTable(m Machine, p Profile, nodes int) string {
	header := []string{"nodes"}
	scales := Scales(m, p, nodes)
	for _, scale := range scales {
		header = append(header, fmt.Sprint("scale ", scale))
	}
	var rows [][]string
	for _, n := range NodeCounts(nodes) {
		cells := []string{fmt.Sprint(n)}
		for _, scale := range scales {
			cells = append(cells, rate(Run{m, p, scale, n, Ranges}))
		}
		rows = append(rows, cells)
	}
	return markdown(header, rows)
}

// Needed returns the smallest scale at which nodes reach an efficiency, 0 if none does.
func Needed(m Machine, p Profile, nodes int, efficiency float64) int {
	for scale := 16; scale <= LargestScale(m, p, nodes); scale++ {
		if best, fits := (Run{m, p, scale, nodes, Ranges}).Best(); fits && best.Efficiency() >= efficiency {
			return scale
		}
	}
	return 0
}

func neededTable(m Machine, p Profile, nodes int) string {
	wanted := []float64{0.4, 0.2, 0.1, 0.05, 0.02, 0.01}
	header := []string{"nodes", "GPUs"}
	for _, e := range wanted {
		header = append(header, fmt.Sprintf("%.0f %%", 100*e))
	}
	header = append(header, "largest scale", "highest efficiency")
	var rows [][]string
	for _, n := range NodeCounts(nodes) {
		cells := []string{fmt.Sprint(n), fmt.Sprint(n * m.GPUs)}
		for _, e := range wanted {
			cell := "none"
			if scale := Needed(m, p, n, e); scale > 0 {
				cell = fmt.Sprint(scale)
			}
			cells = append(cells, cell)
		}
		largest, highest, at := LargestScale(m, p, n), 0.0, 0
		for scale := 16; scale <= largest; scale++ {
			if best, fits := (Run{m, p, scale, n, Ranges}).Best(); fits && best.Efficiency() > highest {
				highest, at = best.Efficiency(), scale
			}
		}
		rows = append(rows, append(cells, fmt.Sprint(largest), fmt.Sprintf("%s at %d", percent(highest), at)))
	}
	return markdown(header, rows)
}

// examples are the runs of the tables of parts and effects: some numbers of nodes, each
// with the largest scale that fits.
func examples(m Machine, p Profile, nodes int) (runs []Run) {
	for n := 1; n <= nodes; n *= 4 {
		if best, fits := (Run{m, p, LargestScale(m, p, n), n, Ranges}).Best(); fits {
			runs = append(runs, best)
		}
	}
	return runs
}

func partTable(m Machine, p Profile, nodes int) string {
	milliseconds := func(s float64) string { return number(math.Round(s*1e5) / 100) }
	var rows [][]string
	for _, r := range examples(m, p, nodes) {
		t := r.Time()
		rows = append(rows, []string{fmt.Sprintf("%d, scale %d, %s", r.Nodes, r.Scale, r.Layout),
			milliseconds(t.Work), milliseconds(t.Levels), milliseconds(t.Peer), milliseconds(t.Network), milliseconds(t.Total()),
			fmt.Sprintf("%.2f", r.imbalance()), fmt.Sprintf("%.0f", r.Bytes()/1e9)})
	}
	return markdown([]string{"nodes, scale, layout", "work, ms", "latency in the nodes, ms", "peers, ms", "network, ms", "search, ms", "imbalance", "GB a GPU"}, rows)
}

func effectTable(m Machine, p Profile, nodes int) string {
	header := []string{"parameter"}
	runs := examples(m, p, nodes)
	for _, r := range runs {
		header = append(header, fmt.Sprintf("%d, scale %d: %s", r.Nodes, r.Scale, modelled(r.GTEPS())))
	}
	var rows [][]string
	for _, parameter := range parameters() {
		cells := []string{parameter.name}
		changes := false
		for _, r := range runs {
			halved, doubled := r, r
			*parameter.of(&halved.Machine) /= 2
			*parameter.of(&doubled.Machine) *= 2
			changes = changes || math.Abs(halved.GTEPS()/doubled.GTEPS()-1) >= 0.05
			cells = append(cells, fmt.Sprintf("%s; %s", modelled(halved.GTEPS()), modelled(doubled.GTEPS())))
		}
		if changes {
			rows = append(rows, cells)
		}
	}
	return markdown(header, rows)
}

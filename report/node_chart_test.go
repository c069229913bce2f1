package report

import (
	"strings"
	"testing"
)

func TestNodeChart(t *testing.T) {
	var svg strings.Builder
	series := []NodeSeries{{"scale 28", []NodePoint{{1, 40}, {2, 12}, {1024, 0.01}}}, {"scale 40", []NodePoint{{1024, 1}}}}
	if err := NodeChart(&svg, "A title", "efficiency", "nodes", series); err != nil {
		t.Fatal(err)
	}
	p := parse(t, svg.String())
	p.has(t, "A title", "efficiency, logarithmic", "nodes", "scale 28", "scale 40", "1", "2", "512", "1024", "0.01", "10")
	if p.index("2048") >= 0 {
		t.Errorf("%q", p.texts)
	}
}

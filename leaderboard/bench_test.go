package leaderboard

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"graph500/engine"
	"graph500/report"
)

// realisticRun returns a run of both kernels with as many levels as on a real graph, and
// numbers that compress as badly as measured ones.
func realisticRun(i int) *report.Run {
	random := rand.New(rand.NewPCG(1, uint64(i)))
	r := withSSSP(exampleRun(16+i%12, 1e-3), 4e-3)
	r.Started = r.Started.Add(1+1000*r.Started.Sub(r.Started.Truncate(1))).AddDate(0, 0, -i)
	r.Machine.Processor = fmt.Sprint("CPU ", i%8)
	for k := range r.Kernels {
		for s := range r.Kernels[k].Searches {
			search := &r.Kernels[k].Searches[s]
			search.Seconds *= random.Float64()
			search.Root = engine.Vertex(random.Int64N(r.Graph.Vertices))
			*search.ValidateSeconds = random.Float64()
			var p engine.Profile
			for range 8 {
				p.Add(engine.Level{Direction: engine.TopDown, Step: "queue", Frontier: random.Int64N(1 << 20), Found: random.Int64N(1 << 20), Examined: random.Int64N(1 << 20), Seconds: random.Float64()})
			}
			search.Profile = report.ProfileOf(p)
		}
	}
	return r
}

// BenchmarkPage opens a page of 1,000 runs, then sorts it by one column after the other.
// It reports the size of the page, the time until it was drawn, and mean and maximum of
// the time from a click on a heading until the new order was drawn.
func BenchmarkPage(b *testing.B) {
	var entries []Entry
	for i := range 1000 {
		entries = append(entries, Entry{fmt.Sprint("run", i), realisticRun(i)})
	}
	board := New(entries)
	if board.Runs() != 1000 {
		b.Fatal(board.LeftOut)
	}
	var text bytes.Buffer
	if err := HTML(&text, board); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "index.html")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	tab := newTab(b)
	const drawn = `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))`
	tab.do(chromedp.Navigate("file://" + file))
	b.ReportMetric(script[float64](tab, drawn), "open-ms")
	b.ReportMetric(float64(text.Len())/1e6, "MB")
	var sum, longest float64 // milliseconds
	columns := len(pageColumns())
	for i := range b.N {
		sorted := script[float64](tab, fmt.Sprintf(`(async () => {
			const begin = performance.now();
			document.querySelectorAll("thead button")[%d].click();
			return await %s - begin;
		})()`, (1+i)%columns, drawn))
		sum, longest = sum+sorted, max(longest, sorted)
	}
	b.ReportMetric(sum/float64(b.N), "sort-ms")
	b.ReportMetric(longest, "longest-sort-ms")
}

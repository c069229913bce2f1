package leaderboard

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"

	"graph500/engine"
)

// files are the parts of the page. page/library/README.md names the chart library.
//
//go:embed page/page.html page/*.css page/*.js page/library/*.js page/library/LICENSE.txt
var files embed.FS

// scripts lists the scripts of the page in the order in which they run.
func scripts() []string { return []string{"unpack.js", "charts.js", "run.js", "table.js"} }

// library lists the scripts of the chart library in the order in which they run.
func library() []string { return []string{"library/d3.min.js", "library/plot.umd.min.js"} }

// pageData is the data of page.html.
type pageData struct {
	Style   template.CSS
	Scripts []template.JS
	Library string // packed
	Licence string

	Summary  string
	Best     []best
	Kernels  []pageKernel
	Kernel   string // the kernel chosen at first
	Scales   []int
	Machines []string
	Columns  []column
	Widths   template.CSS // of the columns
	Tables   []pageTable
	LeftOut  []LeftOut
	Runs     string // packed
}

// best is the fastest run of a kernel that has a rank in the first table.
type best struct {
	Kernel, GTEPS, Machine string
	Scale                  int
}

type pageKernel struct{ Value, Title string }

type pageTable struct {
	Title, About string
	Rows         []pageRow
}

type pageRow struct {
	ID, Machine, Conforming string
	Scale                   int
	Ranked                  bool
	Rates                   []kernelCell // of the kernels of the run
	Cells                   []pageCell
}

type pageCell struct {
	cell
	Heading, Class string
	Host           string // of the machine's cell, which opens the row
	ByKernel       []kernelCell
}

type kernelCell struct {
	Kernel engine.Kernel
	cell
}

// HTML writes the board as one page that needs no other file and no network.
func HTML(w io.Writer, b *Board) error {
	p, err := newPage(b)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(files, "page/page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func newPage(b *Board) (*pageData, error) {
	p := &pageData{Summary: b.summary(), Best: b.best(), Columns: pageColumns(), Kernel: string(engine.BFS), LeftOut: b.LeftOut}
	for _, k := range slices.Backward(engine.Kernels()) {
		if slices.ContainsFunc(b.Tables, func(t *Table) bool { return t.has(k) }) {
			p.Kernels, p.Kernel = append(p.Kernels, pageKernel{string(k), k.Title()}), string(k)
		}
	}
	slices.Reverse(p.Kernels)
	for _, c := range p.Columns {
		p.Widths += template.CSS(c.Width + " ")
	}
	scales, machines := make(map[int]bool), make(map[string]bool)
	for _, t := range b.Tables {
		table := pageTable{Title: t.Title, About: t.About}
		for _, r := range t.Rows {
			row := newPageRow(r)
			scales[row.Scale], machines[row.Machine] = true, true
			table.Rows = append(table.Rows, row)
		}
		p.Tables = append(p.Tables, table)
	}
	p.Scales, p.Machines = slices.Sorted(maps.Keys(scales)), slices.Sorted(maps.Keys(machines))
	var err error
	p.Runs, err = b.packed()
	return p, errors.Join(err, p.read())
}

// read sets the parts of the page that are the same for all boards.
func (p *pageData) read() error {
	style, err := files.ReadFile("page/page.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(style)
	for _, name := range scripts() {
		script, err := files.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		p.Scripts = append(p.Scripts, template.JS(script))
	}
	var programs []byte
	for _, name := range library() {
		script, err := files.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		programs = append(append(programs, script...), '\n')
	}
	if p.Library, err = letters(programs); err != nil {
		return err
	}
	licence, err := files.ReadFile("page/library/LICENSE.txt")
	p.Licence = string(licence)
	return err
}

func newPageRow(r *Row) pageRow {
	row := pageRow{ID: r.ID, Machine: r.Run.HardwareName(), Conforming: yesNo(len(r.reasons) == 0), Scale: r.Run.Input.Scale, Ranked: r.Ranked}
	for _, k := range r.Run.Kernels {
		row.Rates = append(row.Rates, kernelCell{k.Kernel, cell{Exact: fmt.Sprint(r.rate(k.Kernel) / 1e9)}})
	}
	for _, c := range pageColumns() {
		row.Cells = append(row.Cells, newPageCell(r, c))
	}
	return row
}

// pageColumns lists the columns of the page.
func pageColumns() []column {
	return slices.DeleteFunc(columns(), func(c column) bool { return c.Width == "" })
}

func newPageCell(r *Row, c column) pageCell {
	p := pageCell{Heading: c.Heading}
	switch {
	case c.Number:
		p.Class = "number"
	case c.Name == machineColumn:
		p.Class, p.Host = "machine", r.hosts()
	case c.Name == conformingColumn:
		p.Class = "reason"
	}
	if !c.ByKernel {
		p.cell = c.cell(r, "")
		if p.Exact == p.Text {
			p.Exact = "" // the page takes the text
		}
		return p
	}
	for _, k := range engine.Kernels() {
		p.ByKernel = append(p.ByKernel, kernelCell{k, c.cell(r, k)})
	}
	return p
}

// packed returns what the opened rows show, packed.
func (b *Board) packed() (string, error) {
	p := newPacker()
	var runs object // by the id of their row
	for _, t := range b.Tables {
		for _, r := range t.Rows {
			text, err := r.opened()
			if err != nil {
				return "", err
			}
			run, err := p.pack(text)
			if err != nil {
				return "", err
			}
			runs = append(runs, member{r.ID, run})
		}
	}
	text, err := json.Marshal(object{{"runs", runs}, {"lists", p.lists}})
	if err != nil {
		return "", err
	}
	return letters(text)
}

// opened returns what the opened row shows in JSON.
func (r *Row) opened() ([]byte, error) {
	medians := make(map[engine.Kernel]int)
	for i := range r.Run.Kernels {
		medians[r.Run.Kernels[i].Kernel] = r.Run.Kernels[i].Median()
	}
	return json.Marshal(struct {
		File    string                `json:"file"`
		Medians map[engine.Kernel]int `json:"medians"` // indices of searches
		Reasons []string              `json:"reasons"`
		Run     json.RawMessage       `json:"run"`
	}{r.File, medians, r.reasons, r.document})
}

// summary says in one line what the board holds.
func (b *Board) summary() string {
	machines := make(map[string]bool)
	first, last := "", ""
	for _, t := range b.Tables {
		for _, r := range t.Rows {
			machines[r.Run.HardwareName()] = true
			if day := dateCell(r, "").Text; day != "" {
				if first == "" || day < first {
					first = day
				}
				last = max(last, day)
			}
		}
	}
	text := fmt.Sprintf("%s on %s", count(b.Runs(), "run"), count(len(machines), "machine"))
	switch {
	case first == "":
		return text
	case first == last:
		return text + ", " + first
	}
	return fmt.Sprintf("%s, %s to %s", text, first, last)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return whole(int64(n)) + " " + what
}

// best lists the fastest run of each kernel in the table of the official graph.
func (b *Board) best() (list []best) {
	if len(b.Tables) == 0 || b.Tables[0].class.kind != official {
		return nil
	}
	for _, k := range engine.Kernels() {
		for _, r := range b.Tables[0].Rows {
			if r.ranks[k] == 1 {
				list = append(list, best{k.Title(), rate(r.rate(k) / 1e9).Text, r.Run.HardwareName(), r.Run.Input.Scale})
				break
			}
		}
	}
	return list
}

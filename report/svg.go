package report

import (
	"bytes"
	"image/color"
	"io"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	margin = vg.Length(12) // around a chart, in points

	// fontMargin is the assumed maximum ratio of the width of the reader's font to
	// that of the measured font.
	fontMargin = 1.2

	maxTextLength = 100 // characters of a name, title or reason
)

// newPlot returns a plot with the common style of all charts.
func newPlot() *plot.Plot {
	p := plot.New()
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = textStyle().Font
	}
	p.X.Label.Padding = 4
	return p
}

func newGrid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 210}, color.Gray{Y: 210}
	return grid
}

// textStyle is the style of texts in a chart.
func textStyle() text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: 11},
		Handler: plot.DefaultTextHandler,
	}
}

// heading is the text on top of a chart.
type heading struct{ title, subtitle string }

func (h heading) titleStyle() text.Style {
	style := textStyle()
	style.Font.Size = 14
	return style
}

const headingHeight = vg.Length(42)

func (h heading) draw(c draw.Canvas) {
	c.FillText(h.titleStyle(), vg.Point{X: c.Min.X, Y: c.Max.Y - 13}, h.title)
	c.FillText(textStyle(), vg.Point{X: c.Min.X, Y: c.Max.Y - 29}, h.subtitle)
}

func (h heading) width() vg.Length {
	return max(textWidth(h.titleStyle(), h.title), textWidth(textStyle(), h.subtitle))
}

// seriesColor returns the colour of series i from the palette of Okabe and Ito, which
// most people with colour blindness can distinguish.
func seriesColor(i int) color.Color {
	colours := []color.RGBA{
		{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255},
	}
	return colours[i%len(colours)]
}

// textWidth returns an upper bound on the width of the widest text.
func textWidth(style text.Style, texts ...string) (widest vg.Length) {
	for _, s := range texts {
		widest = max(widest, fontMargin*style.Width(s))
	}
	return widest
}

// printable returns a text as one line of at most maxTextLength printable characters.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return unicode.ReplacementChar
	}, s) // which also replaces invalid UTF-8
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > maxTextLength {
		return string(runes[:maxTextLength-1]) + "…"
	}
	return string(runes)
}

// writeSVG draws a chart on white and writes it: a heading, and below it what paint
// draws. The canvas of paint has at least the given size in points.
func writeSVG(w io.Writer, h heading, width, height vg.Length, paint func(draw.Canvas)) error {
	width = max(width, h.width())
	image := vgsvg.New(width+2*margin, headingHeight+height+2*margin)
	c := draw.New(image)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	h.draw(c)
	paint(draw.Crop(c, 0, 0, 0, -headingHeight))
	var svg bytes.Buffer
	if _, err := image.WriteTo(&svg); err != nil {
		return err
	}
	// Not every system has the measured font. The others have about the same widths.
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

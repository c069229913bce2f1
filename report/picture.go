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
	margin = vg.Length(12) // around a picture, in points

	// fontRoom is how much wider than the font measured the reader's may be.
	fontRoom = 1.2

	longestName = 100 // characters of a name, title or reason in a picture
)

// newPlot returns a plot with fonts and colours of all pictures here.
func newPlot() *plot.Plot {
	p := plot.New()
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font = plain().Font
	}
	p.X.Label.Padding = 4
	return p
}

func newGrid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 210}, color.Gray{Y: 210}
	return grid
}

// plain is the style of texts in a picture.
func plain() text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: 11},
		Handler: plot.DefaultTextHandler,
	}
}

// heading stands on top of a picture.
type heading struct{ title, subtitle string }

func (h heading) titleStyle() text.Style {
	style := plain()
	style.Font.Size = 14
	return style
}

const headingHeight = vg.Length(42)

func (h heading) draw(c draw.Canvas) {
	c.FillText(h.titleStyle(), vg.Point{X: c.Min.X, Y: c.Max.Y - 13}, h.title)
	c.FillText(plain(), vg.Point{X: c.Min.X, Y: c.Max.Y - 29}, h.subtitle)
}

func (h heading) width() vg.Length {
	return max(width(h.titleStyle(), h.title), width(plain(), h.subtitle))
}

// hue returns one of the colours that most people can tell apart (Okabe and
// Ito).
func hue(i int) color.Color {
	colours := []color.RGBA{
		{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255},
	}
	return colours[i%len(colours)]
}

// width returns what the widest of the texts may take.
func width(style text.Style, texts ...string) (widest vg.Length) {
	for _, s := range texts {
		widest = max(widest, fontRoom*style.Width(s))
	}
	return widest
}

// clean makes a text from outside fit for a picture: one line of characters that
// can be seen, of a length that fits.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return unicode.ReplacementChar
	}, s) // which also replaces what is no UTF-8
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return string(runes)
}

// writeSVG draws a heading and what paint draws, on white, and writes it. paint
// is given a canvas of at least the size.
func writeSVG(w io.Writer, h heading, width, height vg.Length, paint func(draw.Canvas)) error {
	width = max(width, h.width())
	picture := vgsvg.New(width+2*margin, headingHeight+height+2*margin)
	c := draw.New(picture)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	h.draw(c)
	paint(draw.Crop(c, 0, 0, 0, -headingHeight))
	var svg bytes.Buffer
	if _, err := picture.WriteTo(&svg); err != nil {
		return err
	}
	// The font measured is not everywhere; these are of the same widths, or about.
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
)

// svgFile holds the content of an SVG file.
type svgFile struct {
	width, height float64
	texts         []string
	places        []vg.Rectangle // of the texts
}

// parse parses an SVG file. It must be XML, and its texts must be inside the image and
// must not overlap.
func parse(t *testing.T, svg string) (p svgFile) {
	t.Helper()
	var text xml.StartElement
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "svg" {
				viewBox := strings.Fields(attribute(token, "viewBox"))
				p.width, p.height = number64(t, viewBox[2]), number64(t, viewBox[3])
			}
			text = token
		case xml.EndElement:
			text = xml.StartElement{}
		case xml.CharData:
			if text.Name.Local == "text" {
				p.texts = append(p.texts, string(token))
				p.places = append(p.places, place(t, text, string(token)))
			}
		}
	}
	if p.width <= 0 || p.height <= 0 {
		t.Fatalf("%g x %g", p.width, p.height)
	}
	for i, a := range p.places {
		if a.Min.X < 0 || a.Max.X > vg.Length(p.width) || a.Min.Y < 0 || a.Max.Y > vg.Length(p.height) {
			t.Errorf("%q is cut off: %v in an image of %g x %g", p.texts[i], a, p.width, p.height)
		}
		for j, b := range p.places[:i] {
			if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
				t.Errorf("%q and %q overlap", p.texts[j], p.texts[i])
			}
		}
	}
	return p
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// place returns the rectangle of a horizontal text, from the lower left corner of the
// image.
func place(t *testing.T, e xml.StartElement, s string) vg.Rectangle {
	t.Helper()
	_, size, _ := strings.Cut(attribute(e, "style"), "font-size:")
	size, _, _ = strings.Cut(size, "px")
	style := textStyle()
	style.Font.Size = vg.Length(number64(t, size))
	x, y := vg.Length(number64(t, attribute(e, "x"))), vg.Length(-number64(t, attribute(e, "y")))
	return vg.Rectangle{ // height of a capital 0.73, depth of a g 0.21
		Min: vg.Point{X: x, Y: y - 0.21*style.Font.Size},
		Max: vg.Point{X: x + style.Width(s), Y: y + 0.73*style.Font.Size},
	}
}

// has fails the test unless the file contains each text.
func (p svgFile) has(t *testing.T, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if p.index(want) < 0 {
			t.Errorf("%q is not one of %q", want, p.texts)
		}
	}
}

func (p svgFile) index(text string) int {
	for i, s := range p.texts {
		if s == text {
			return i
		}
	}
	return -1
}

// wild is a name with special characters.
const wild = "a\x00b\x1b[1m\x7f <&\"'> \xff\xfe\n\tend\u202e\ufffe"

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"NVIDIA H200":            "NVIDIA H200",
		" a\t b\nc\u00a0d ":      "a b c d",
		wild:                     "a\ufffdb\ufffd[1m\ufffd <&\"'> \ufffd\ufffd end\ufffd\ufffd",
		"Größe, 4 × 8":           "Größe, 4 × 8",
		strings.Repeat("é", 100): strings.Repeat("é", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 99) + "…",
	} {
		if got := printable(text); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

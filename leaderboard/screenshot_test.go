package leaderboard

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	screenshots = flag.String("screenshots", "", "directory to which TestScreenshots writes pictures of the page")
	pictured    = flag.String("page", "", "page that TestScreenshots shows; default: that of the tests")
)

// TestScreenshots writes pictures to look at.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no directory for pictures is given (-screenshots)")
	}
	tab := newTab(t)
	if *pictured != "" {
		tab.do(chromedp.Navigate("file://" + *pictured))
	} else {
		tab.open(exampleBoard(t))
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(*screenshots, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, view := range []struct {
		name            string
		medium, colours string
		width           int64
		opened          bool
	}{
		{"desktop", "screen", "light", 1440, false},
		{"narrow", "screen", "light", 1280, false},
		{"desktop-dark", "screen", "dark", 1440, false},
		{"opened-dark", "screen", "dark", 1440, true},
		{"opened", "screen", "light", 1440, true},
		{"phone-opened", "screen", "light", 390, true},
		{"phone", "screen", "dark", 390, false},
		{"print", "print", "dark", 1040, false},
	} {
		tab.do(size(view.width, 900), media(view.medium, view.colours))
		const button = "tbody button.name"
		if opened := script[bool](tab, `document.querySelector("`+button+`").getAttribute("aria-expanded") === "true"`); opened != view.opened {
			script[chromedp.Void](tab, `document.querySelector("`+button+`").click()`)
		}
		tab.do(chromedp.Sleep(500 * time.Millisecond)) // charts are drawn after the layout
		write(view.name+".png", ask(tab, chromedp.FullScreenshot(100)))
	}
	write("print.pdf", ask(tab, chromedp.PrintToPDF()))
}

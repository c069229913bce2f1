package leaderboard

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserPath returns the path of a browser, or skips the test.
func browserPath(tb testing.TB) string {
	tb.Helper()
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tb.Skipf("there is no browser: none of %s", strings.Join(names, ", "))
	return ""
}

// timeLimit is the time after which a test with a tab fails.
const timeLimit = 40 * time.Second

// tab is a tab of a browser with a page.
type tab struct {
	testing.TB
	ctx context.Context

	mutex    sync.Mutex
	problems []string // messages, errors and dialogs of the page's scripts
	requests []string // addresses that the page asked for
}

// newTab opens an empty tab in a browser of its own. At the end of the test the page
// must not have had problems or asked for another file.
func newTab(tb testing.TB) *tab {
	tb.Helper()
	if testing.Short() {
		tb.Skip("a browser takes seconds")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath(tb)), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	tb.Cleanup(closeTab)
	t := &tab{TB: tb, ctx: ctx}
	t.do(size(1440, 900)) // starts the browser, which must not end with a time limit
	t.ctx, closeTab = context.WithTimeout(ctx, timeLimit)
	tb.Cleanup(closeTab)
	if err := chromedp.Listen(t.ctx, t.hear); err != nil {
		tb.Fatal(err)
	}
	if _, err := chromedp.Call(t.ctx, network.Enable, network.EnableParams{}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		if len(t.problems) > 0 || len(t.requests) > 1 {
			tb.Errorf("problems of the page: %q, requests: %q", t.problems, t.requests)
		}
	})
	return t
}

// hear collects the problems and requests of the page.
func (t *tab) hear(event any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			problem += " " + e.ExceptionDetails.Exception.Description
		}
		t.problems = append(t.problems, problem)
	case *page.EventJavascriptDialogOpening:
		t.problems = append(t.problems, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			t.requests = append(t.requests, e.Request.URL)
		}
	}
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask returns the result of an action.
func ask[T any](t *tab, action chromedp.Action[T]) T {
	t.Helper()
	answer, err := chromedp.Run(t.ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// script evaluates an expression in the page and waits for its promise.
func script[T any](t *tab, expression string) T {
	t.Helper()
	return ask(t, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// open writes the page of a board and opens it.
func (t *tab) open(b *Board) {
	t.Helper()
	var text bytes.Buffer
	if err := HTML(&text, b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	t.do(chromedp.Navigate("file://" + file))
}

func size(width, height int64) chromedp.Action[chromedp.Void] {
	return chromedp.EmulateViewport(width, height)
}

// media sets the medium and the preferred colours.
func media(medium, colours string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}},
		})
		return err
	})
}

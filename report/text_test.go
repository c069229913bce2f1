package report

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantText requires that write writes the text.
func wantText(t *testing.T, want string, write func(w io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

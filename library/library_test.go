//go:build linux

package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

const libc = "libc.so.6"

func TestBind(t *testing.T) {
	l, err := Open(libc, Local)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Length  Function                `symbol:"strlen"`
		Compare func(a, b string) int32 `symbol:"strcmp"`
		Text    func(code int32) string `symbol:"strerror"`
	}
	if err := l.Bind(&c); err != nil {
		t.Fatal(err)
	}
	word := []byte("twelve bytes\x00")
	if n := c.Length.Call(uintptr(unsafe.Pointer(unsafe.SliceData(word)))); n != 12 {
		t.Errorf("strlen %d", n)
	}
	if c.Compare("b", "a") <= 0 || c.Compare("a", "b") >= 0 || c.Compare("a", "a") != 0 {
		t.Error("strcmp does not compare")
	}
	if got := c.Text(2); got != "No such file or directory" {
		t.Errorf("strerror %q", got)
	}
}

func TestMissing(t *testing.T) {
	l, err := Open(libc, Global)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Length Function `symbol:"strlen"`
		None   Function `symbol:"no_such_function"`
		Later  Function `symbol:"not_either"`
	}
	if err := l.Bind(&c); err == nil || err.Error() != "libc.so.6 has no no_such_function" {
		t.Errorf("%v", err)
	}
	if l.Address("strlen") == 0 || l.Address("no_such_function") != 0 {
		t.Error("wrong addresses")
	}
}

// The messages of the loader name the file.
func TestOpenFails(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "libempty.so")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, "libnosuchlibrary.so"} {
		if _, err := Open(name, Local); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

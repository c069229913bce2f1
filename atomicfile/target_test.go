package atomicfile

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tree creates directories ("name/"), links ("name -> target") and files in a new
// directory and makes it the working directory of the test.
func tree(t *testing.T, entries ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, e := range entries {
		if name, target, ok := strings.Cut(e, " -> "); ok {
			if err := os.Symlink(target, name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var err error
		if strings.HasSuffix(e, "/") {
			err = os.Mkdir(e, 0o777)
		} else {
			err = os.WriteFile(e, []byte(e), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTarget(t *testing.T) {
	tree(t, "a/", "a/b/", "file", "a/file",
		"link -> file", "to-link -> link", "down -> a/b", "down/up -> ../file", "out -> a/b/../new",
		"dangling -> a/missing", "gone -> nowhere/x", "a/b/far -> ../../dangling")
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(wd, "a", "file"), "absolute"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"file":                              "file",
		"./a//file":                         "a/file",
		"new":                               "new",
		"link":                              "file",
		"to-link":                           "file",
		"down/new":                          "a/b/new",
		"down/../file":                      "a/file", // not ./file: the system goes up from a/b
		"down/up":                           "a/file",
		"out":                               "a/new",
		"dangling":                          "a/missing",
		"gone":                              "nowhere/x",
		"down/far":                          "a/missing",
		"absolute":                          filepath.Join(wd, "a", "file"),
		filepath.Join(wd, "out"):            filepath.Join(wd, "a", "new"),
		"../" + filepath.Base(wd) + "/link": "../" + filepath.Base(wd) + "/file",
	} {
		if got, err := Target(path); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %s", path, got, err, want)
		}
	}
}

// TestTargetIsWhatTheSystemOpens compares Target with the file that the system
// opens under the same path.
func TestTargetIsWhatTheSystemOpens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "target")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.MkdirAll(filepath.Join(dir, "d", "e"), 0o777); err != nil {
			t.Fatal(err)
		}
		part := rapid.SampledFrom([]string{"d", "e", "..", ".", "x", "y", "z", "d/e"})
		path := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/")
		})
		for _, at := range []string{"x", "d/y", "d/e/z", "d/x"} {
			if target := path.Draw(t, at); rapid.Bool().Draw(t, "link") {
				if err := os.Symlink(target, filepath.Join(dir, at)); err != nil {
					t.Fatal(err)
				}
			}
		}
		name := filepath.Join(dir, "d") + "/" + path.Draw(t, "name")
		target, targetErr := Target(name)
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil { // O_EXCL does not follow a link in the last component
			f, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
		}
		if err != nil {
			return // Create and Check detect what the system does not open
		}
		defer f.Close()
		if targetErr != nil {
			t.Fatalf("%s: %v", name, targetErr)
		}
		opened, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		found, err := os.Lstat(target)
		if err != nil || !os.SameFile(opened, found) {
			t.Fatalf("%s is not %s: %v", name, target, err)
		}
	})
}

func TestTargetRefuses(t *testing.T) {
	tree(t, "a/", "file", "null -> /dev/null", "circle -> round", "round -> circle", "self -> self/x", "to-a -> a", "beyond -> file/x", "version -> /proc/version")
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	long := "file"
	for i := range maxLinks + 1 {
		name := "l" + strconv.Itoa(i)
		if err := os.Symlink(long, name); err != nil {
			t.Fatal(err)
		}
		long = name
	}
	cases := map[string]string{
		"":                "names a directory, not a file",
		"a":               "is a directory and will not be replaced",
		".":               "is a directory and will not be replaced",
		"a/..":            "is a directory and will not be replaced",
		"to-a":            "leads to a, which is a directory and will not be replaced",
		"file/":           "names a directory, not a file",
		"new/":            "names a directory, not a file",
		"new/.":           "names a directory, not a file",
		"null":            "leads to /dev/null, which is a device and will not be replaced",
		"/dev/null":       "is a device and will not be replaced",
		"socket":          "is a socket and will not be replaced",
		"circle":          "the symbolic links form a loop, or are more than 40",
		"circle/file":     "the symbolic links form a loop, or are more than 40",
		"self":            "the symbolic links form a loop, or are more than 40",
		long:              "the symbolic links form a loop, or are more than 40",
		"beyond":          "cannot be created: not a directory",
		"file/x":          "cannot be created: not a directory",
		"a\x00b":          "cannot be created: invalid argument",
		"/dev/fd/x":       "",
		"/proc/self/fd/0": "",
	}
	if _, err := os.Stat("/proc/version"); err == nil {
		cases["/proc/version"] = "is a file of the system and will not be replaced"
		cases["/proc/new"] = "is a file of the system and will not be replaced"
		cases["version"] = "leads to /proc/version, which is a file of the system and will not be replaced"
	}
	for path, want := range cases {
		if _, err := Target(path); err == nil || !strings.HasPrefix(err.Error(), path+": "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	if _, err := Target("l39"); err != nil {
		t.Error(err)
	}
}

func TestSame(t *testing.T) {
	tree(t, "d/", "file", "link -> file", "dlink -> d", "dangling -> d/new", "circle -> circle")
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"file", "link", true}, {"file", "./d/../file", true}, {"d", "dlink", true},
		{"d/new", "dlink/new", true}, {"dangling", "d/new", true}, {"dangling", "dlink/new", true}, {"x/y/z", "./x/y/z", true},
		{"file", "d", false}, {"file", "new", false}, {"d/new", "new", false}, {"dangling", "d/other", false}, {"circle", "new", false},
	} {
		if Same(c.a, c.b) != c.want || Same(c.b, c.a) != c.want {
			t.Errorf("%s and %s: not %v", c.a, c.b, c.want)
		}
	}
}

func TestMakeDir(t *testing.T) {
	tree(t, "d/", "file", "link -> d/deep/er", "circle -> circle")
	for _, path := range []string{"new/deep", "link/x", "link", "d", "."} {
		if err := MakeDir(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"new/deep", "d/deep/er/x"} {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"": "no such file or directory", "file": "not a directory", "file/x": "not a directory", "circle": "the symbolic links form a loop"} {
		if err := MakeDir(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
}

func TestCheckLeavesEverythingAsItIs(t *testing.T) {
	tree(t, "d/", "file", "link -> file", "dangling -> d/new")
	for _, path := range []string{"file", "new", "link", "dangling", "d/new"} {
		if err := Check(path); err != nil {
			t.Error(err)
		}
	}
	if err := Check("missing/new"); err == nil || err.Error() != "missing/new: cannot create a file in missing: no such file or directory" {
		t.Errorf("got %v", err)
	}
	wantEntries(t, ".", "d", "dangling", "file", "link")
	wantEntries(t, "d")
	if text, err := os.ReadFile("file"); err != nil || string(text) != "file" {
		t.Errorf("%q, %v", text, err)
	}
}

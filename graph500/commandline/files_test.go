package commandline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

// No written file replaces another, whatever path names it.
func TestFilesAreDistinct(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("there", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("d", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "there", "dlink": "d"} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct {
		args, tempFile string
		want           string // prefix of the error; empty: no error
	}{
		{"-graph=there -write-edges=there", "", "flag -graph and flag -write-edges name the same file, there: "},
		{"-graph=there -write-edges=./there", "", "flag -graph and flag -write-edges name"},
		{"-graph=there -write-edges=" + filepath.Join(dir, "there"), "", "flag -graph and flag -write-edges name"},
		{"-graph=link -write-edges=there", "", "flag -graph and flag -write-edges name"},
		{"-read-edges=there -write-edges=d/../there", "", "flag -read-edges and flag -write-edges name"},
		{"-write-edges=d/result.json -out=d", "", "flag -write-edges and flag -out name"},
		{"-write-edges=dlink/result.json -out=d", "", "flag -write-edges and flag -out name"},
		{"-write-edges=new/deep/result.csv -out=./new/deep/", "", "flag -write-edges and flag -out name"},
		{"-out=dlink", "d/result.txt", "TMPFILE and flag -out name"},
		{"-graph=result.json -out=.", "", "flag -graph and flag -out name"},
		{"-write-edges=d/3-14.i64 -write-parents=dlink", "", "flag -write-edges: d/3-14.i64 may be a file that -write-parents makes"},

		{"-kernel=sssp -write-edges=e -read-edges=e.weights", "", "flag -read-edges and flag -write-edges name the same file, e.weights: "},
		{"-kernel=sssp -write-edges=d/sssp/3-14.f32 -write-parents=dlink", "", "flag -write-edges: d/sssp/3-14.f32 may be a file that -write-parents makes"},
		{"-graph=there -write-edges=d/there", "", ""},
		{"-write-edges=d/edges -write-parents=d -out=d", "", ""},
		{"-write-edges=3-14.i64 -write-parents=d", "", ""},
		{"-out=d", "there", ""},
	} {
		o, err := ParseFlags(testinput.CommandLine(strings.Fields(c.args)), testinput.Environment("TMPFILE="+c.tempFile), testinput.Strategies())
		if err != nil {
			t.Fatal(err)
		}
		err = checkFiles(o)
		switch {
		case c.want == "" && err != nil, c.want != "" && err == nil:
			t.Errorf("%s: %v", c.args, err)
		case err != nil && (!strings.HasPrefix(err.Error(), c.want) || output.ExitStatus(err) != 2):
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
	if names, err := os.ReadDir("."); err != nil || len(names) != 4 {
		t.Errorf("the check left %v, %v", names, err)
	}
}

package commandline

import (
	"os"
	"path/filepath"
	"slices"

	"graph500/atomicfile"
	"graph500/graph"
	"graph500/report"
)

// fileUse is a file that a run reads or writes.
type fileUse struct {
	origin  string // option that names the file
	path    string
	written bool
}

// files lists the files whose names are known before the run, and the regular files
// behind standard output and standard error, which must not be replaced. The names of
// parents files are not known.
func (o *Options) files() (uses []fileUse) {
	for _, use := range []fileUse{{"standard output", "/dev/stdout", false}, {"standard error", "/dev/stderr", false}} {
		if info, err := os.Stat(use.path); err == nil && info.Mode().IsRegular() {
			uses = append(uses, use)
		}
	}
	for _, use := range []fileUse{
		{"flag -graph", o.Graph, false},
		{"flag -read-edges", o.ReadEdges, false},
		{"flag -check-parents", o.CheckParents, false},
		{"flag -check-distances", o.CheckDistances, false},
		{"flag -write-edges", o.WriteEdges, true},
		{"TMPFILE", o.TempFile, true},
	} {
		if use.path == "" {
			continue
		}
		uses = append(uses, use)
		if edges := slices.Contains([]string{o.ReadEdges, o.WriteEdges, o.TempFile}, use.path); edges && (o.Weighted() && use.written || o.ReadsWeights()) {
			use.path = graph.WeightsPath(use.path)
			uses = append(uses, use)
		}
	}
	if o.Out != "" {
		for _, name := range report.Files() {
			uses = append(uses, fileUse{"flag -out", filepath.Join(o.Out, name), true})
		}
	}
	return uses
}

// checkFiles returns an error if a written file would replace another file that the run
// reads or writes.
func checkFiles(o *Options) error {
	uses := o.files()
	for i, use := range uses {
		for _, other := range uses[:i] {
			if (use.written || other.written) && atomicfile.Same(use.path, other.path) {
				return Usagef("%s and %s name the same file, %s: choose another place for one", other.origin, use.origin, use.path)
			}
		}
		if o.mayWriteResults(use.path) {
			return Usagef("%s: %s may be a file that -write-parents makes: choose another place", use.origin, use.path)
		}
	}
	return nil
}

// mayWriteResults reports whether the path may be that of a file that -write-parents
// makes.
func (o *Options) mayWriteResults(path string) bool {
	dir, name := filepath.Split(path)
	if o.WriteParents == "" || !graph.IsParentsName(name) && !graph.IsDistancesName(name) {
		return false
	}
	dir = filepath.Clean(dir)
	return atomicfile.Same(dir, o.WriteParents) || atomicfile.Same(dir, graph.SSSPDir(o.WriteParents))
}

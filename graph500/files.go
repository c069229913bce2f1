package main

import (
	"os"
	"path/filepath"
	"regexp"

	"graph500/report"
)

// fileUse is a file that a run reads or writes, and what says so.
type fileUse struct {
	by, path string
	written  bool
}

// files lists the files whose names are known before the run. Those of
// -write-parents are not.
func (o *options) files() (uses []fileUse) {
	for _, use := range []fileUse{
		{"flag -graph", o.Graph, false},
		{"flag -read-edges", o.ReadEdges, false},
		{"flag -check-parents", o.CheckParents, false},
		{"flag -write-edges", o.WriteEdges, true},
		{"TMPFILE", o.tempFile, true},
	} {
		if use.path != "" {
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

// parentsFile matches the names of the files of -write-parents.
var parentsFile = regexp.MustCompile(`^[0-9]+-[0-9]+\.i64$`)

// checkFiles returns an error if a file that is written would take the place of
// another that the run reads or writes.
func checkFiles(o *options) error {
	uses := o.files()
	for i, use := range uses {
		for _, other := range uses[:i] {
			if (use.written || other.written) && sameFile(use.path, other.path) {
				return usagef("%s and %s name the same file, %s: choose another place for one", other.by, use.by, use.path)
			}
		}
		if o.WriteParents != "" && parentsFile.MatchString(filepath.Base(use.path)) && sameFile(filepath.Dir(use.path), o.WriteParents) {
			return usagef("%s: %s may be a file that -write-parents makes: choose another place", use.by, use.path)
		}
	}
	return nil
}

// sameFile reports whether two names are of one file, whether it is there or not.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	if errA == nil || errB == nil {
		return false
	}
	fullA, errA := filepath.Abs(a)
	fullB, errB := filepath.Abs(b)
	if errA != nil || errB != nil {
		return false
	}
	dirA, dirB := filepath.Dir(fullA), filepath.Dir(fullB)
	if fullA == fullB || filepath.Base(fullA) != filepath.Base(fullB) || dirA == fullA || dirB == fullB {
		return fullA == fullB
	}
	return sameFile(dirA, dirB)
}

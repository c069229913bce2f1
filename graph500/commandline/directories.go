package commandline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"graph500/graph"
)

// MissingDirectories lists the directories that the run would make, parents last.
func (o *Options) MissingDirectories() (missing []string) {
	var targets []string
	if o.WriteParents != "" {
		targets = append(targets, graph.SSSPDir(o.WriteParents), o.WriteParents)
	}
	if o.Out != "" {
		for _, scale := range o.Scales {
			targets = append(targets, o.AtScale(scale).Out)
		}
		targets = append(targets, o.Out)
	}
	for _, dir := range targets {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				break
			}
			missing = append(missing, dir)
		}
	}
	return missing
}

// RemoveEmpty removes those of the directories that are empty.
func RemoveEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = os.Remove(dir) // fails if there is something in it
	}
}

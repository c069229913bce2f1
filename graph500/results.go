package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"graph500/report"
)

// findResults returns the files that an argument names: a file, the results in a
// directory and below, or those that match a pattern. A directory that is a link is
// searched only if the argument names it.
func findResults(argument string) ([]string, error) {
	info, err := os.Stat(argument)
	if errors.Is(err, fs.ErrNotExist) {
		return matchResults(argument, err)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{argument}, nil
	}
	found, err := searchResults(argument)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no %s in this directory or below", report.JSONFile)
	}
	return found, err
}

// searchResults returns the results in a directory and below. The error is about
// directories that cannot be read.
func searchResults(dir string) (found []string, unread error) {
	// The separator makes WalkDir follow a link.
	_ = filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			unread = errors.Join(unread, err)
			return fs.SkipDir
		case entry.Name() == report.JSONFile && (entry.Type().IsRegular() || entry.Type() == fs.ModeSymlink):
			found = append(found, path)
		}
		return nil
	})
	return found, unread
}

// matchResults returns the results that match a pattern. A match can be a directory.
// notExist is the error for an argument without pattern.
func matchResults(pattern string, notExist error) ([]string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(matches) == 0 {
		return nil, notExist
	}
	var found []string
	for _, match := range matches {
		files, findErr := findResults(match)
		if findErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", match, findErr))
		}
		found = append(found, files...)
	}
	return found, err
}

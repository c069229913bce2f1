package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile is the largest file that the commands for results read. The result of 64 searches
// with all their levels has 15 MB, and a day of samples a millisecond apart would not help.
const maxFile = 256 << 20

// ReadFile opens a file and calls read. Errors of read get the name of the file. A file of
// more than maxFile bytes, which can be a device without an end, is an error.
func ReadFile(name string, read func(io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	limited := &io.LimitedReader{R: file, N: maxFile + 1}
	err = read(limited)
	if limited.N == 0 {
		err = fmt.Errorf("it has more than %d MiB: name a result or a log", maxFile>>20)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// FindResults returns the files that an argument names: a file, the results in a
// directory and below, or those that match a pattern.
func FindResults(argument string) ([]string, error) {
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
	found, err := searchResults(argument, make(map[string]bool))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no %s in this directory or below", JSONFile)
	}
	return found, err
}

// searchResults returns the results in a directory and below, also in directories that are
// links. It adds the real paths of directories to searched, and searches each once. The error
// is about directories that cannot be read.
func searchResults(dir string, searched map[string]bool) (found []string, unread error) {
	path := RealPath(dir)
	if searched[path] {
		return nil, nil
	}
	searched[path] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		mode := entry.Type()
		if mode == fs.ModeSymlink {
			info, err := os.Stat(path)
			if err != nil {
				if entry.Name() == JSONFile { // to be named as unreadable
					found = append(found, path)
				}
				continue
			}
			mode = info.Mode().Type()
		}
		switch {
		case mode.IsDir():
			below, err := searchResults(path, searched)
			found, unread = append(found, below...), errors.Join(unread, err)
		case entry.Name() == JSONFile && mode.IsRegular():
			found = append(found, path)
		}
	}
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
		files, findErr := FindResults(match)
		if findErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", match, findErr))
		}
		found = append(found, files...)
	}
	return found, err
}

// ReadResult reads a result in JSON, or the one in a directory of -out.
func ReadResult(path string) (run *Run, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, JSONFile)
	}
	err = ReadFile(path, func(r io.Reader) (err error) {
		run, err = ReadRun(r)
		return err
	})
	return run, err
}

// RealPath returns the absolute path of a file without links, or its name if it has
// none.
func RealPath(name string) string {
	path, err := filepath.EvalSymlinks(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return name
	}
	return path
}

//go:build !noasm

package graph

import "unsafe"

// storeLine stores a line past the caches, which all amd64 processors can.
//
//go:noescape
func storeLine(to, line unsafe.Pointer)

// finishLines makes the stores of storeLine visible before those that follow.
func finishLines()

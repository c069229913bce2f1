//go:build !amd64 || noasm

package graph

import "unsafe"

func storeLine(to, line unsafe.Pointer) { *(*[4 * lineWords]byte)(to) = *(*[4 * lineWords]byte)(line) }

func finishLines() {}

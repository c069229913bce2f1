//go:build cuda

package kernels

import (
	"graph500/engine"
	"graph500/memory"
	"graph500/validate"
)

// vertexError makes an error that names a vertex and its parent.
func (v *Validator) vertexError(at int64, of func(root, at engine.Vertex, parent engine.Local) *validate.Error) error {
	var parent [1]engine.Local
	if err := v.parents.Read(int(at), parent[:]); err != nil {
		return err
	}
	return of(v.root, engine.Vertex(at), parent[0])
}

// pathError brings all parents to the host, where they are followed.
func (v *Validator) pathError() error {
	parents, err := memory.Alloc[engine.Local](v.vertices)
	if err != nil {
		return err
	}
	if err = v.parents.Read(0, parents); err == nil {
		err = validate.PathError(v.root, engine.Vertex(v.found.Path), parents)
	}
	if e := memory.Free(parents); e != nil {
		return e
	}
	return err
}

func (v *Validator) levelError() error {
	ends := v.found.LevelEnds
	var levels [2]int64
	for i, at := range []engine.Local{ends.U, ends.V} {
		var err error
		if levels[i], err = v.level(at); err != nil {
			return err
		}
	}
	return validate.LevelError(v.root, v.found.Level, ends, levels)
}

// level returns the depth of a vertex that the table holds, or -1 outside the
// tree.
func (v *Validator) level(at engine.Local) (int64, error) {
	if v.form == wideEntries {
		var entry [1]uint64
		err := v.wide.Read(int(at), entry[:])
		return int64(entry[0]&(1<<31-1)) - 1, err
	}
	var word [1]uint32
	err := v.table.Read(int(at/4), word[:])
	mask := uint32(1<<7 - 1)
	if v.form == hashedBytes {
		mask = 1<<4 - 1
	}
	return int64(word[0]>>(at%4*8)&mask) - 1, err
}

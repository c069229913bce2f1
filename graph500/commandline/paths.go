package commandline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"graph500/atomicfile"
	"graph500/engine"
	"graph500/graph"
	"graph500/report"
)

// CheckPaths returns an error if the results cannot be written, or if the parents file
// of -check-parents cannot be read. It runs before the graph exists; the space for
// results is checked later, when the size of the graph is known.
func CheckPaths(o *Options) error {
	if err := CheckInputs(o); err != nil {
		return err
	}
	return CheckTargets(o)
}

// CheckInputs is the part of checkPaths that creates nothing. It finds the edge files.
func CheckInputs(o *Options) error {
	if err := o.FindEdgeFiles(); err != nil || o.Memory {
		return err
	}
	if err := checkFiles(o); err != nil {
		return err
	}
	if err := o.checkWeightsFile(); err != nil {
		return err
	}
	return o.checkFilesToCheck()
}

// checkWeightsFile returns an error if the run takes the weights of its file and reads an edge file that has
// none beside it.
func (o *Options) checkWeightsFile() error {
	from := o.Edges.Read
	if from == "" || !o.ReadsWeights() {
		return nil
	}
	if info, err := os.Stat(from); err != nil || !info.Mode().IsRegular() {
		return nil // whoever reads it says so
	}
	path := graph.WeightsPath(from)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file: -kernel=%s needs the weights beside the edges: make both files with -kernel=sssp -write-edges or graph500 edges -weights, or give -weights=drawn or -kernel=bfs", path, o.Kernel)
	}
	return nil
}

// CheckTargets is the part of checkPaths that creates the directories of results.
func CheckTargets(o *Options) error {
	if o.Memory {
		return nil
	}
	if o.Out != "" {
		if err := report.CheckDir(o.Out); err != nil {
			return err
		}
	}
	if err := o.CheckParentsDirs(0, 0); err != nil {
		return err
	}
	if o.Edges.Write == "" {
		return nil
	}
	if err := atomicfile.Check(o.Edges.Write); err != nil {
		return fmt.Errorf("%s: %w", o.EdgeFilesOrigin(), err)
	}
	return nil
}

// checkFilesToCheck returns an error if the files of -check-parents and
// -check-distances cannot be read.
func (o *Options) checkFilesToCheck() error {
	if o.CheckParents == "" {
		return nil
	}
	vertices := int64(-1)
	if o.Graph == "" {
		vertices = 1 << o.Scale
	}
	if err := graph.CheckParentsFile(o.CheckParents, vertices); err != nil {
		return fmt.Errorf("flag -check-parents: %w", err)
	}
	if !o.HasKernel(engine.SSSP) {
		return nil
	}
	check := graph.CheckDistancesFile[float32]
	if o.Integers() {
		check = graph.CheckDistancesFile[uint64]
	}
	if err := check(o.DistancesToCheck(), vertices); err != nil {
		return fmt.Errorf("flag -check-distances: %w", err)
	}
	return nil
}

// CheckParentsDirs returns an error if the results of the given number of searches cannot
// be written to the directories of -write-parents.
func (o *Options) CheckParentsDirs(vertices uint64, searches int) error {
	if o.WriteParents == "" {
		return nil
	}
	for _, k := range o.Kernels() {
		check, dir := graph.CheckParentsDir, o.WriteParents
		if k == engine.SSSP {
			check, dir = graph.CheckSSSPDir[float32], graph.SSSPDir(dir)
			if o.Integers() {
				check = graph.CheckSSSPDir[uint64]
			}
		}
		if err := check(dir, vertices, searches); err != nil {
			return fmt.Errorf("flag -write-parents: %w", err)
		}
	}
	return nil
}

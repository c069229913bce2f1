package main

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

// checkPaths returns an error if the results cannot be written, or if the parents file
// of -check-parents cannot be read. It runs before the graph exists; the space for
// results is checked later, when the size of the graph is known.
func checkPaths(o *options) error {
	if err := checkInputs(o); err != nil {
		return err
	}
	return checkTargets(o)
}

// checkInputs is the part of checkPaths that creates nothing. It finds the edge files.
func checkInputs(o *options) error {
	if err := o.findEdgeFiles(); err != nil || o.Memory {
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
func (o *options) checkWeightsFile() error {
	from := o.edges.read
	if from == "" || !o.readsWeights() {
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

// checkTargets is the part of checkPaths that creates the directories of results.
func checkTargets(o *options) error {
	if o.Memory {
		return nil
	}
	if o.Out != "" {
		if err := report.CheckDir(o.Out); err != nil {
			return err
		}
	}
	if err := o.checkParentsDirs(0, 0); err != nil {
		return err
	}
	if o.edges.write == "" {
		return nil
	}
	if err := atomicfile.Check(o.edges.write); err != nil {
		return fmt.Errorf("%s: %w", o.edgeFilesOrigin(), err)
	}
	return nil
}

// checkFilesToCheck returns an error if the files of -check-parents and
// -check-distances cannot be read.
func (o *options) checkFilesToCheck() error {
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
	if !o.hasKernel(engine.SSSP) {
		return nil
	}
	if err := graph.CheckDistancesFile(o.distancesToCheck(), vertices); err != nil {
		return fmt.Errorf("flag -check-distances: %w", err)
	}
	return nil
}

// checkParentsDirs returns an error if the results of the given number of searches cannot
// be written to the directories of -write-parents.
func (o *options) checkParentsDirs(vertices uint64, searches int) error {
	if o.WriteParents == "" {
		return nil
	}
	for _, k := range o.kernels() {
		check, dir := graph.CheckParentsDir, o.WriteParents
		if k == engine.SSSP {
			check, dir = graph.CheckSSSPDir, graph.SSSPDir(dir)
		}
		if err := check(dir, vertices, searches); err != nil {
			return fmt.Errorf("flag -write-parents: %w", err)
		}
	}
	return nil
}

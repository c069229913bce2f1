//go:build !amd64 || noasm

package cpu

// sweep relaxes kept arcs, see sweepGo.
func (s *bounded) sweep(_ *pullWorker, kept []keptArc, all bool) (found, examined int64) {
	return s.sweepGo(kept, all)
}

//go:build !amd64 || noasm

package cpu

// pullFirst is the first step of the pull, see pullFirstGo.
func (s *bounded) pullFirst(w *pullWorker, lo, hi int) (open, kept int) {
	return s.pullFirstGo(w, lo, hi)
}

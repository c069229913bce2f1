// Package constructtest builds graphs for tests of searches. Without the build tag cuda it is
// empty.
package constructtest

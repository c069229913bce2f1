//go:build !cuda

package driver

import "errors"

// Load says why no GPU can be used.
func Load() error { return errors.New("this program was built without CUDA support") }

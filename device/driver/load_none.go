//go:build !cuda

package driver

import "errors"

// Load returns an error, because a build without the tag cuda cannot use a GPU.
func Load() error { return errors.New("this program was built without CUDA support") }

//go:build !amd64 || noasm

package vector

// supported returns Plain: this build has no other form.
func supported() Form { return Plain }

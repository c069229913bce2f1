// Package nccl calls NCCL, the NVIDIA Collective Communications Library. Like package driver
// it loads the library at run time, so that the same executable runs with and without it.
// Without the build tag cuda it is empty.
package nccl

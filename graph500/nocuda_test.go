//go:build !cuda

package main

const buildTags = ""

// Package ui holds the dashboard's pages as they were built: dist is made of
// src by `make ui`, and committed, so that building the services needs Go
// alone. It serves nothing; package web does.
package ui

import "embed"

// Files is dist.
//
//go:embed dist
var Files embed.FS

// Package ui embeds the built dashboard pages. `make ui` builds dist from src.
// dist is committed, so that building the services needs only Go. Package web
// serves the files.
package ui

import "embed"

// Files contains the directory dist.
//
//go:embed dist
var Files embed.FS

package services

import (
	"path"
	"slices"
	"strings"
)

// localPath returns the directory of an import in this repository, "" for others.
func localPath(imported string) string {
	dir, ok := strings.CutPrefix(imported, prefix)
	if !ok {
		return ""
	}
	return dir
}

// topFolder returns the first component of a directory.
func topFolder(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// serviceOf returns the service that a directory belongs to, or "".
func serviceOf(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] != "services" || len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// isWithin reports whether an import is one of the paths or below one.
func isWithin(imported string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return imported == p || strings.HasPrefix(imported, p+"/")
	})
}

// findLayerRow returns the row of the table of layers for a package, or "".
func findLayerRow(dir string, listed map[string]layer) string {
	if _, ok := listed[dir]; ok {
		return dir
	}
	family := path.Dir(dir) + "/*"
	if _, ok := listed[family]; ok && !isTestSuite(dir) {
		return family
	}
	return ""
}

func layerOf(dir string) layer { return layers[findLayerRow(dir, layers)] }

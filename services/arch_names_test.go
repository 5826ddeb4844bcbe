package services

import (
	"path"
	"slices"
	"strings"
)

// ours is an import's place in the tree, "" if it is somebody else's.
func ours(imported string) string {
	dir, ok := strings.CutPrefix(imported, prefix)
	if !ok {
		return ""
	}
	return dir
}

// top is the first folder of a place in the tree.
func top(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// service is the service that a place in the tree belongs to, or "".
func service(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] != "services" || len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// within tells whether an import is one of the paths or lies below one.
func within(imported string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return imported == p || strings.HasPrefix(imported, p+"/")
	})
}

// rowOf is the row of the table of layers that a package falls under, or "".
func rowOf(dir string, listed map[string]layer) string {
	if _, ok := listed[dir]; ok {
		return dir
	}
	family := path.Dir(dir) + "/*"
	if _, ok := listed[family]; ok && !suite(dir) {
		return family
	}
	return ""
}

func layerOf(dir string) layer { return layers[rowOf(dir, layers)] }

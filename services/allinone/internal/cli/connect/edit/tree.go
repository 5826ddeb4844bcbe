package edit

import (
	"slices"
	"strings"
)

// A tree is a decoded file: maps with string keys, lists and scalars.

func lookup(tree any, path []string) (any, bool) {
	for _, name := range path {
		switch node := tree.(type) {
		case map[string]any:
			value, ok := node[name]
			if !ok {
				return nil, false
			}
			tree = value
		case []any:
			i := findItem(node, name)
			if i < 0 {
				return nil, false
			}
			tree = node[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// findItem returns the index of the item that a path element selects, or -1.
func findItem(list []any, element string) int {
	name, ok := strings.CutPrefix(element, ItemPrefix)
	return slices.IndexFunc(list, func(v any) bool {
		item, isMap := v.(map[string]any)
		return ok && isMap && item["name"] == name
	})
}

// without returns a copy of the tree without the value at path, without empty maps and
// lists, and without nulls. Two texts that differ only at path have the same result.
func without(tree any, path []string) any {
	switch node := tree.(type) {
	case map[string]any:
		rest := map[string]any{}
		for name, value := range node {
			if v := withoutChild(value, path, len(path) > 0 && path[0] == name); v != nil {
				rest[name] = v
			}
		}
		if len(rest) == 0 {
			return nil
		}
		return rest
	case []any:
		return listWithout(node, path)
	}
	return tree
}

func listWithout(list []any, path []string) any {
	selected := -1
	if len(path) > 0 {
		selected = findItem(list, path[0])
	}
	var rest []any
	for i, value := range list {
		if v := withoutChild(value, path, i == selected); v != nil {
			rest = append(rest, v)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return rest
}

func withoutChild(value any, path []string, onPath bool) any {
	switch {
	case onPath && len(path) == 1:
		return nil
	case onPath:
		return without(value, path[1:])
	}
	return without(value, nil)
}

func isEmpty(value any) bool { return without(value, nil) == nil }

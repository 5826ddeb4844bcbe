package jsonscan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// maxLinearNames is the number of names up to which duplicates are found by linear search.
// For objects with more names, a map is used.
const maxLinearNames = 12

// nameStack holds the names of all open objects. The names of the innermost object
// come last.
type nameStack struct {
	list [][]byte
	// largeObjects holds the names of objects with more than maxLinearNames names. The
	// key is the index of the object's first name in list.
	largeObjects map[int]map[string]struct{}
}

func (n *nameStack) reset() {
	n.list = n.list[:0]
	clear(n.largeObjects)
}

func (n *nameStack) len() int { return len(n.list) }

// truncate removes the names of an object that was closed.
func (n *nameStack) truncate(from int) {
	if len(n.list)-from > maxLinearNames {
		delete(n.largeObjects, from)
	}
	n.list = n.list[:from]
}

// addUnique adds a name to the innermost object. from is the index of the object's first
// name. raw is the name in escaped form, with quotes. addUnique compares the unescaped names
// and returns false for a duplicate.
func (n *nameStack) addUnique(raw []byte, from int) bool {
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, raw)
	}
	own := n.list[from:]
	if len(own) <= maxLinearNames {
		for _, other := range own {
			if string(other) == string(name) {
				return false
			}
		}
		n.list = append(n.list, name)
		return true
	}
	table := n.lookupTable(from)
	if _, twice := table[string(name)]; twice {
		return false
	}
	table[string(name)] = struct{}{}
	n.list = append(n.list, name)
	return true
}

func (n *nameStack) lookupTable(from int) map[string]struct{} {
	if t, ok := n.largeObjects[from]; ok {
		return t
	}
	t := make(map[string]struct{}, 4*maxLinearNames)
	for _, name := range n.list[from:] {
		t[string(name)] = struct{}{}
	}
	if n.largeObjects == nil {
		n.largeObjects = map[int]map[string]struct{}{}
	}
	n.largeObjects[from] = t
	return t
}

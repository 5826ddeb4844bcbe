package jsonscan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// fewNames is up to how many names are compared one by one.
const fewNames = 12

// names are those of all open objects, the innermost object's last.
type names struct {
	list [][]byte
	// tables has, by the place at which they begin, the names of objects that
	// have more than a few.
	tables map[int]map[string]struct{}
}

func (n *names) reset() {
	n.list = n.list[:0]
	clear(n.tables)
}

func (n *names) len() int { return len(n.list) }

// cut forgets the names of an object that is over.
func (n *names) cut(from int) {
	if len(n.list)-from > fewNames {
		delete(n.tables, from)
	}
	n.list = n.list[:from]
}

// add notes a name, given as written, of the object whose names begin at from.
// It reports false if the object has it already, however that was written.
func (n *names) add(raw []byte, from int) bool {
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, raw)
	}
	own := n.list[from:]
	if len(own) <= fewNames {
		for _, other := range own {
			if string(other) == string(name) {
				return false
			}
		}
		n.list = append(n.list, name)
		return true
	}
	table := n.table(from)
	if _, twice := table[string(name)]; twice {
		return false
	}
	table[string(name)] = struct{}{}
	n.list = append(n.list, name)
	return true
}

func (n *names) table(from int) map[string]struct{} {
	if t, ok := n.tables[from]; ok {
		return t
	}
	t := make(map[string]struct{}, 4*fewNames)
	for _, name := range n.list[from:] {
		t[string(name)] = struct{}{}
	}
	if n.tables == nil {
		n.tables = map[int]map[string]struct{}{}
	}
	n.tables[from] = t
	return t
}

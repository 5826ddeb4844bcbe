package edit

import (
	"maps"
	"slices"
	"strings"
)

// Restore takes the entries back from a text that was edited after Apply: values that are
// still ours are removed, or set to what they were in the original text. Values that were
// changed since stay; kept names them.
func (f Format) Restore(current, original []byte, entries []Entry) (text []byte, kept []string, err error) {
	e, err := f.open(current)
	if err != nil {
		return nil, nil, err
	}
	before, err := f.open(original)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range entries {
		changed, err := e.restore(n, before.tree)
		if err != nil {
			return nil, nil, err
		}
		if changed {
			kept = append(kept, n.label())
		}
	}
	return e.text, kept, nil
}

// restore takes one entry back. It reports whether the entry has another value than ours.
func (e *editor) restore(n Entry, original map[string]any) (changed bool, err error) {
	old, existed := lookup(original, n.Path)
	_, exists := lookup(e.tree, n.Path)
	switch {
	case n.Absent:
		if existed && !exists {
			err = e.setValue(n.Path, old)
		}
		return false, err
	case n.IfMissing && existed, !exists:
		return false, nil
	case !n.isIn(e.tree):
		return true, e.removeShadowed(n)
	case existed && n.Item != nil:
		return false, e.setValue(n.Path, itemFields(old))
	case existed:
		return false, e.setValue(n.Path, old)
	}
	if err := e.removeValue(n.Path); err != nil {
		return false, err
	}
	return false, e.prune(n.Path, original)
}

// removeShadowed removes our value if a later assignment of the same name made it ineffective.
// Only .env files have several assignments of a name.
func (e *editor) removeShadowed(n Entry) error {
	if _, ok := e.codec.(dotenvCodec); !ok {
		return nil
	}
	return e.accept(removeAssignment(e.text, n.Path[0], n.Value), nil, n.Path)
}

// prune removes containers that became empty and that the original text does not have.
func (e *editor) prune(path []string, original map[string]any) error {
	for parent := path[:len(path)-1]; len(parent) > 0; parent = parent[:len(parent)-1] {
		_, existed := lookup(original, parent)
		value, exists := lookup(e.tree, parent)
		if existed || exists && !isEmpty(value) {
			return nil
		}
		if exists {
			if err := e.removeValue(parent); err != nil {
				return err
			}
		}
	}
	return nil
}

// itemFields returns the fields of a decoded list item, the name first.
func itemFields(item any) []Field {
	values, _ := item.(map[string]any)
	var fields []Field
	for _, name := range slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		if (a == "name") != (b == "name") {
			return map[bool]int{true: -1, false: 1}[a == "name"]
		}
		return strings.Compare(a, b)
	}) {
		fields = append(fields, Field{Name: name, Value: values[name]})
	}
	return fields
}

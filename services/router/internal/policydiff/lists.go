package policydiff

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// nameFields lists the struct fields that can be the name of a list entry. The first field
// that the type has is the name.
var nameFields = []string{"ID", "Name", "Ref", "Provider", "Effective", "Above"}

// compareLists matches entries by name if every entry has a unique name. Otherwise it
// matches entries by index.
func (w *comparer) compareLists(path string, a, b reflect.Value) {
	if !strings.Contains(path, ".") {
		a, b = w.compareUnlisted(path, a, b)
	}
	old, oldNamed := indexByName(a)
	now, nowNamed := indexByName(b)
	if !oldNamed || !nowNamed {
		w.compareByIndex(path, a, b)
		return
	}
	var common []string
	for _, name := range old.order {
		if e, ok := now.entries[name]; ok {
			common = append(common, name)
			w.compareValues(entryPath(path, name), old.entries[name], e)
			continue
		}
		w.addChange(entryPath(path, name), Removed, formatValue(old.entries[name]), "")
	}
	for _, name := range now.order {
		if _, ok := old.entries[name]; !ok {
			w.addChange(entryPath(path, name), Added, "", formatValue(now.entries[name]))
		}
	}
	reordered := slices.DeleteFunc(slices.Clone(now.order), func(n string) bool { return !slices.Contains(common, n) })
	if !slices.Equal(common, reordered) {
		w.addChange(path, Reordered, strings.Join(common, ", "), strings.Join(reordered, ", "))
	}
}

// entryPath returns a path such as providers.openai for a list at the top level, and a path
// such as routes.auto.select[legal] for a list below it.
func entryPath(path, name string) string {
	if strings.Contains(path, ".") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

type namedEntries struct {
	order   []string
	entries map[string]reflect.Value
}

func indexByName(list reflect.Value) (namedEntries, bool) {
	n := namedEntries{entries: map[string]reflect.Value{}}
	for i := range list.Len() {
		name := entryName(list.Index(i))
		if _, twice := n.entries[name]; twice || name == "" {
			return n, false
		}
		n.order = append(n.order, name)
		n.entries[name] = list.Index(i)
	}
	return n, true
}

func entryName(e reflect.Value) string {
	for _, name := range nameFields {
		if f := e.FieldByName(name); f.IsValid() {
			return formatValue(f)
		}
	}
	return ""
}

// compareByIndex compares entries by index. It skips equal entries at the start and at the
// end.
func (w *comparer) compareByIndex(path string, a, b reflect.Value) {
	same := func(i, j int) bool { return reflect.DeepEqual(a.Index(i).Interface(), b.Index(j).Interface()) }
	first, m, n := 0, a.Len(), b.Len()
	for first < m && first < n && same(first, first) {
		first++
	}
	for m > first && n > first && same(m-1, n-1) {
		m, n = m-1, n-1
	}
	for i := first; i < max(m, n); i++ {
		switch at := entryPath(path, strconv.Itoa(i)); {
		case i >= m:
			w.addChange(at, Added, "", formatValue(b.Index(i)))
		case i >= n:
			w.addChange(at, Removed, formatValue(a.Index(i)), "")
		default:
			w.compareValues(at, a.Index(i), b.Index(i))
		}
	}
}

// compareUnlisted compares the entries that come from the catalog instead of the document.
// It adds a single change with counts, because there can be hundreds of such entries. It
// returns the entries that the documents list.
func (w *comparer) compareUnlisted(path string, a, b reflect.Value) (reflect.Value, reflect.Value) {
	if _, ok := a.Type().Elem().FieldByName("Unlisted"); !ok {
		return a, b
	}
	a, old := splitUnlisted(a)
	b, now := splitUnlisted(b)
	var more, fewer, other int
	for name, e := range now {
		if before, ok := old[name]; !ok {
			more++
		} else if !reflect.DeepEqual(before.Interface(), e.Interface()) {
			other++
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			fewer++
		}
	}
	if more+fewer+other > 0 {
		w.addChange(path+" that are not listed", Changed, strconv.Itoa(len(old)),
			fmt.Sprintf("%d (%d added, %d removed, %d changed)", len(now), more, fewer, other))
	}
	return a, b
}

func splitUnlisted(list reflect.Value) (listed reflect.Value, unlisted map[string]reflect.Value) {
	listed, unlisted = reflect.MakeSlice(list.Type(), 0, 0), map[string]reflect.Value{}
	for i := range list.Len() {
		if e := list.Index(i); e.FieldByName("Unlisted").Bool() {
			unlisted[entryName(e)] = e
		} else {
			listed = reflect.Append(listed, e)
		}
	}
	return listed, unlisted
}

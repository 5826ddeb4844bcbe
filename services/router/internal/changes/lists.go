package changes

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// identities are the fields by which an entry of a list is known, the first of
// them that its type has.
var identities = []string{"ID", "Name", "Ref", "Provider", "Effective", "Above"}

// lists matches entries by what they are called, if every one has a name of its
// own, else by their places.
func (w *walk) lists(path string, a, b reflect.Value) {
	if !strings.Contains(path, ".") {
		a, b = w.unlisted(path, a, b)
	}
	old, named := byName(a)
	now, too := byName(b)
	if !named || !too {
		w.places(path, a, b)
		return
	}
	var kept []string
	for _, name := range old.order {
		if e, ok := now.entries[name]; ok {
			kept = append(kept, name)
			w.values(entry(path, name), old.entries[name], e)
			continue
		}
		w.add(entry(path, name), Removed, text(old.entries[name]), "")
	}
	for _, name := range now.order {
		if _, ok := old.entries[name]; !ok {
			w.add(entry(path, name), Added, "", text(now.entries[name]))
		}
	}
	stays := slices.DeleteFunc(slices.Clone(now.order), func(n string) bool { return !slices.Contains(kept, n) })
	if !slices.Equal(kept, stays) {
		w.add(path, Reordered, strings.Join(kept, ", "), strings.Join(stays, ", "))
	}
}

// entry is providers.openai at the top, and select[legal] further in.
func entry(path, name string) string {
	if strings.Contains(path, ".") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

type named struct {
	order   []string
	entries map[string]reflect.Value
}

func byName(list reflect.Value) (named, bool) {
	n := named{entries: map[string]reflect.Value{}}
	for i := range list.Len() {
		name := identity(list.Index(i))
		if _, twice := n.entries[name]; twice || name == "" {
			return n, false
		}
		n.order = append(n.order, name)
		n.entries[name] = list.Index(i)
	}
	return n, true
}

func identity(e reflect.Value) string {
	for _, name := range identities {
		if f := e.FieldByName(name); f.IsValid() {
			return text(f)
		}
	}
	return ""
}

// places compares what is between the entries that both begin and end with.
func (w *walk) places(path string, a, b reflect.Value) {
	same := func(i, j int) bool { return reflect.DeepEqual(a.Index(i).Interface(), b.Index(j).Interface()) }
	first, m, n := 0, a.Len(), b.Len()
	for first < m && first < n && same(first, first) {
		first++
	}
	for m > first && n > first && same(m-1, n-1) {
		m, n = m-1, n-1
	}
	for i := first; i < max(m, n); i++ {
		switch at := entry(path, strconv.Itoa(i)); {
		case i >= m:
			w.add(at, Added, "", text(b.Index(i)))
		case i >= n:
			w.add(at, Removed, text(a.Index(i)), "")
		default:
			w.values(at, a.Index(i), b.Index(i))
		}
	}
}

// unlisted sums up the entries that no document writes, which can be hundreds,
// and returns the others.
func (w *walk) unlisted(path string, a, b reflect.Value) (reflect.Value, reflect.Value) {
	if _, ok := a.Type().Elem().FieldByName("Unlisted"); !ok {
		return a, b
	}
	a, old := apart(a)
	b, now := apart(b)
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
		w.add(path+" that are not listed", Changed, strconv.Itoa(len(old)),
			fmt.Sprintf("%d: %d more, %d fewer, %d different", len(now), more, fewer, other))
	}
	return a, b
}

func apart(list reflect.Value) (written reflect.Value, unlisted map[string]reflect.Value) {
	written, unlisted = reflect.MakeSlice(list.Type(), 0, 0), map[string]reflect.Value{}
	for i := range list.Len() {
		if e := list.Index(i); e.FieldByName("Unlisted").Bool() {
			unlisted[identity(e)] = e
		} else {
			written = reflect.Append(written, e)
		}
	}
	return written, unlisted
}

func sorted(names map[string]reflect.Value) []string { return slices.Sorted(maps.Keys(names)) }

func dollars(perToken int64) string { return "$" + catalog.PerMillion(perToken) + " per 1M" }

// text is a value for a person; empty for nothing.
func text(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case string:
		return x
	case time.Duration:
		return x.String()
	case time.Time:
		return x.Format(time.RFC3339)
	}
	if v.Kind() == reflect.String {
		return v.String()
	}
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprint(v.Interface())
	}
	return string(b)
}

// Package policydiff compares two policies by meaning: which providers, models, routes and
// rules were added, removed or changed. Compare walks the compiled form by reflection, so
// a new field of the policy needs no change here. UnifiedDiff compares the texts of the
// documents. The engine uses this package.
package policydiff

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Change is one difference. Old and New are plain strings or JSON. Old is empty for
// an added value, and New is empty for a removed value.
type Change struct {
	// Path is the location, such as routes.auto.select[legal].target.
	Path string
	Kind string
	Old  string
	New  string
}

// Kinds of changes.
const (
	Added     = "added"
	Removed   = "removed"
	Changed   = "changed"
	Reordered = "reordered"
)

// Compare returns the differences in the order of the policy. Without differences, both
// policies make the same decisions.
func Compare(from, to *policy.Policy) []Change {
	w := &comparer{}
	w.compareFields("", reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem())
	return w.changes
}

// comparer walks two values of the same type at once.
type comparer struct{ changes []Change }

func (w *comparer) addChange(path, kind, old, now string) {
	w.changes = append(w.changes, Change{Path: path, Kind: kind, Old: old, New: now})
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	priceTypes = []reflect.Type{reflect.TypeFor[catalog.Price](), reflect.TypeFor[catalog.Tier]()}
)

func (w *comparer) compareValues(path string, a, b reflect.Value) {
	switch {
	case reflect.DeepEqual(a.Interface(), b.Interface()):
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		w.compareValues(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct && a.Type() != timeType:
		w.compareFields(path, a, b)
	case a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Struct:
		w.compareLists(path, a, b)
	case a.Kind() == reflect.Map:
		w.compareMaps(path, a, b)
	default:
		w.compareLeaf(path, a, b)
	}
}

// compareLeaf compares two values that are shown as a whole.
func (w *comparer) compareLeaf(path string, a, b reflect.Value) {
	old, now := formatValue(a), formatValue(b)
	switch {
	case old == now: // nil and empty are formatted alike
	case old == "":
		w.addChange(path, Added, "", now)
	case now == "":
		w.addChange(path, Removed, old, "")
	default:
		w.addChange(path, Changed, old, now)
	}
}

func (w *comparer) compareFields(path string, a, b reflect.Value) {
	money := slices.Contains(priceTypes, a.Type())
	for i := range a.NumField() {
		f := a.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch at := joinPath(path, name); {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			w.compareFields(path, a.Field(i), b.Field(i))
		case money && f.Type.Kind() == reflect.Int64 && name != "above":
			if a.Field(i).Int() != b.Field(i).Int() {
				w.addChange(at, Changed, formatPrice(a.Field(i).Int()), formatPrice(b.Field(i).Int()))
			}
		default:
			w.compareValues(at, a.Field(i), b.Field(i))
		}
	}
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (w *comparer) compareMaps(path string, a, b reflect.Value) {
	names := map[string]reflect.Value{}
	for _, m := range []reflect.Value{a, b} {
		for _, k := range m.MapKeys() {
			names[k.String()] = k
		}
	}
	for _, name := range sortedNames(names) {
		old, now := a.MapIndex(names[name]), b.MapIndex(names[name])
		switch at := joinPath(path, name); {
		case !old.IsValid():
			w.addChange(at, Added, "", formatValue(now))
		case !now.IsValid():
			w.addChange(at, Removed, formatValue(old), "")
		default:
			w.compareValues(at, old, now)
		}
	}
}

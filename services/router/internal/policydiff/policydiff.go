// Package policydiff compares two policies by meaning: which providers, models, routes and
// rules were added, removed or changed. Compare walks the compiled form by reflection, so
// a new field of the policy needs no change here, unless the document writes its number in
// another unit. UnifiedDiff compares the texts of the
// documents. The engine uses this package.
package policydiff

import (
	"reflect"
	"slices"
	"strings"

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

func (w *comparer) compareValues(path string, a, b reflect.Value) {
	switch {
	case reflect.DeepEqual(a.Interface(), b.Interface()):
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		w.compareValues(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct && a.Type() != timeType && a.Type() != windowType:
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
	w.compareTexts(path, formatValue(a), formatValue(b))
}

func (w *comparer) compareTexts(path, old, now string) {
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
	for i := range a.NumField() {
		f := a.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch at, format := joinPath(path, writtenName(name)), numberFormatOf(a, f.Type, name); {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			w.compareFields(path, a.Field(i), b.Field(i))
		case format != nil:
			// The unit of a condition's number follows from its field, which may have changed.
			w.compareNumbers(at, a.Field(i), b.Field(i), format, numberFormatOf(b, f.Type, name))
		default:
			w.compareValues(at, a.Field(i), b.Field(i))
		}
	}
}

// compareNumbers compares numbers, pointers to numbers or maps of numbers that have a unit.
func (w *comparer) compareNumbers(path string, a, b reflect.Value, formatOld, formatNew numberFormat) {
	if a.Kind() != reflect.Map {
		w.compareTexts(path, formatNumber(a, formatOld), formatNumber(b, formatNew))
		return
	}
	for _, key := range allKeys(a, b) {
		w.compareTexts(joinPath(path, key.String()), formatNumber(a.MapIndex(key), formatOld), formatNumber(b.MapIndex(key), formatNew))
	}
}

// formatNumber returns an empty string for a number that is missing.
func formatNumber(v reflect.Value, format numberFormat) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	return format(v.Int())
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (w *comparer) compareMaps(path string, a, b reflect.Value) {
	for _, key := range allKeys(a, b) {
		old, now := a.MapIndex(key), b.MapIndex(key)
		switch at := joinPath(path, key.String()); {
		case !old.IsValid():
			w.addChange(at, Added, "", formatValue(now))
		case !now.IsValid():
			w.addChange(at, Removed, formatValue(old), "")
		default:
			w.compareValues(at, old, now)
		}
	}
}

// allKeys returns the keys of both maps in order.
func allKeys(a, b reflect.Value) []reflect.Value {
	keys := append(a.MapKeys(), b.MapKeys()...)
	slices.SortFunc(keys, compareKeys)
	return slices.CompactFunc(keys, func(x, y reflect.Value) bool { return x.String() == y.String() })
}

func compareKeys(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }

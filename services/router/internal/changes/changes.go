// Package changes tells how two policies differ, by what they mean: which
// providers, models, routes and rules came, went or became different, from what
// to what. It reads the compiled form field by field, whatever fields that has,
// so a new word of the language needs nothing here. The engine uses it.
package changes

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Change is one difference. Old and New are a text, or JSON; empty where
// nothing is.
type Change struct {
	// Path is where, such as routes.auto.select[legal].target.
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

// Of returns the differences in the order of the policy; none means that both
// decide alike.
func Of(from, to *policy.Policy) []Change {
	w := &walk{}
	w.fields("", reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem())
	return w.all
}

// walk goes through both at once. Both values always have the same type.
type walk struct{ all []Change }

func (w *walk) add(path, kind, old, now string) {
	w.all = append(w.all, Change{Path: path, Kind: kind, Old: old, New: now})
}

var (
	moment = reflect.TypeFor[time.Time]()
	prices = []reflect.Type{reflect.TypeFor[catalog.Price](), reflect.TypeFor[catalog.Tier]()}
)

func (w *walk) values(path string, a, b reflect.Value) {
	switch {
	case reflect.DeepEqual(a.Interface(), b.Interface()):
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		w.values(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Struct && a.Type() != moment:
		w.fields(path, a, b)
	case a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Struct:
		w.lists(path, a, b)
	case a.Kind() == reflect.Map:
		w.maps(path, a, b)
	default:
		w.leaf(path, a, b)
	}
}

// leaf is for what is shown whole.
func (w *walk) leaf(path string, a, b reflect.Value) {
	old, now := text(a), text(b)
	switch {
	case old == now: // nothing written in two ways
	case old == "":
		w.add(path, Added, "", now)
	case now == "":
		w.add(path, Removed, old, "")
	default:
		w.add(path, Changed, old, now)
	}
}

func (w *walk) fields(path string, a, b reflect.Value) {
	money := slices.Contains(prices, a.Type())
	for i := range a.NumField() {
		f := a.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch at := join(path, name); {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			w.fields(path, a.Field(i), b.Field(i))
		case money && f.Type.Kind() == reflect.Int64 && name != "above":
			if a.Field(i).Int() != b.Field(i).Int() {
				w.add(at, Changed, dollars(a.Field(i).Int()), dollars(b.Field(i).Int()))
			}
		default:
			w.values(at, a.Field(i), b.Field(i))
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (w *walk) maps(path string, a, b reflect.Value) {
	names := map[string]reflect.Value{}
	for _, m := range []reflect.Value{a, b} {
		for _, k := range m.MapKeys() {
			names[k.String()] = k
		}
	}
	for _, name := range sorted(names) {
		old, now := a.MapIndex(names[name]), b.MapIndex(names[name])
		switch at := join(path, name); {
		case !old.IsValid():
			w.add(at, Added, "", text(now))
		case !now.IsValid():
			w.add(at, Removed, text(old), "")
		default:
			w.values(at, old, now)
		}
	}
}

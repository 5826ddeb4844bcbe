package edit

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// Change is the difference of one value between two texts. Old or New is nil if the text
// does not have the value. Secrets are masked.
type Change struct {
	Path string  `json:"path"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
}

// NewKey stands for a key that does not exist yet, in a plan that is only shown.
const NewKey = "(new key)"

// Diff lists how the values of the entries differ between two texts. It shows no other
// value, because a settings file can contain secrets of its own.
func (f Format) Diff(before, after []byte, entries []Entry) ([]Change, error) {
	old, err := f.open(before)
	if err != nil {
		return nil, err
	}
	next, err := f.open(after)
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, n := range flatten(entries) {
		a, hadA := lookup(old.tree, n.Path)
		b, hasB := lookup(next.tree, n.Path)
		if hadA != hasB || !reflect.DeepEqual(a, b) {
			all = append(all, Change{Path: n.label(), Old: show(a, hadA, n.Secret), New: show(b, hasB, n.Secret)})
		}
	}
	return all, nil
}

// flatten replaces a list item by its fields.
func flatten(entries []Entry) []Entry {
	var all []Entry
	for _, n := range entries {
		if n.Item == nil {
			all = append(all, n)
		}
		for _, f := range n.Item {
			all = append(all, Entry{Path: append(append([]string{}, n.Path...), f.Name), Value: f.Value, Secret: f.Secret})
		}
	}
	return all
}

func show(value any, exists, secret bool) *string {
	if !exists {
		return nil
	}
	text := string(jsonText(value))
	if secret {
		text = maskSecret(value)
	}
	return &text
}

// maskSecret shows the start of a Signalbox key, which is not secret, and nothing of another value.
func maskSecret(value any) string {
	key, _ := value.(string)
	switch {
	case apikey.IsValid(key):
		return apikey.DisplayPrefix(key) + "…"
	case key == NewKey:
		return NewKey
	case value == "":
		return `""`
	}
	return "(hidden)"
}

// jsonText returns the value as JSON in one line.
func jsonText(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

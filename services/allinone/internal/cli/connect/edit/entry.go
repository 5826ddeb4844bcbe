package edit

import (
	"reflect"
	"strings"
)

// Entry is one value that a settings file needs.
type Entry struct {
	// Path leads to the value. An element that starts with ItemPrefix selects the item of a
	// list by its field "name".
	Path []string `json:"path"`
	// Value is a string, a bool, a float64, a list of strings or, in JSON, an object of these.
	Value any `json:"value,omitempty"`
	// Item holds the fields of a list item, instead of Value. The first field is the name.
	Item []Field `json:"item,omitempty"`
	// IfMissing leaves an existing value as it is.
	IfMissing bool `json:"if_missing,omitempty"`
	// Absent removes the value instead of setting it.
	Absent bool `json:"absent,omitempty"`
	// Secret values are never shown.
	Secret bool `json:"secret,omitempty"`
}

// Field is a field of a list item.
type Field struct {
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Secret bool   `json:"secret,omitempty"`
}

// ItemPrefix starts a path element that selects a list item by its name.
const ItemPrefix = "name="

// decoded returns the value as a parser returns it.
func (n Entry) decoded() any {
	if n.Item == nil {
		return n.Value
	}
	item := map[string]any{}
	for _, f := range n.Item {
		item[f.Name] = f.Value
	}
	return item
}

// encoded returns the value for codec.set, which writes the fields of an item in their order.
func (n Entry) encoded() any {
	if n.Item == nil {
		return n.Value
	}
	return n.Item
}

// isIn reports whether the value is in the tree. A list item is recognized by its name, even
// if some of its fields were changed.
func (n Entry) isIn(tree map[string]any) bool {
	found, ok := lookup(tree, n.Path)
	return ok && (n.Item != nil || reflect.DeepEqual(found, n.decoded()))
}

func (n Entry) label() string {
	var b strings.Builder
	for i, name := range n.Path {
		item, isItem := strings.CutPrefix(name, ItemPrefix)
		switch {
		case isItem:
			b.WriteString("[" + item + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

package edit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Format is the format of a settings file.
type Format string

// The formats.
const (
	JSON   Format = "json" // with or without comments
	TOML   Format = "toml"
	YAML   Format = "yaml"
	Dotenv Format = "env"
)

// codec changes the text of one format. set and remove change nothing but the value at path,
// and the containers that it needs.
type codec interface {
	decode(text []byte) (map[string]any, error)
	set(text []byte, path []string, value any) ([]byte, error)
	remove(text []byte, path []string) ([]byte, error)
}

var codecs = map[Format]codec{JSON: jsonCodec{}, TOML: tomlCodec{}, YAML: yamlCodec{}, Dotenv: dotenvCodec{}}

var errUnsafeEdit = errors.New("the file has a form that cannot be edited safely; edit it by hand")

// editor applies changes to a text one by one and checks each of them.
type editor struct {
	codec
	text []byte
	tree map[string]any
}

func (f Format) open(text []byte) (*editor, error) {
	c, ok := codecs[f]
	if !ok {
		return nil, fmt.Errorf("unknown format %q", f)
	}
	tree, err := c.decode(text)
	if err != nil {
		return nil, err
	}
	return &editor{codec: c, text: text, tree: tree}, nil
}

func (e *editor) setValue(path []string, value any) error {
	text, err := e.set(e.text, path, value)
	return e.accept(text, err, path)
}

func (e *editor) removeValue(path []string) error {
	text, err := e.remove(e.text, path)
	return e.accept(text, err, path)
}

// accept takes over a changed text if only the value at path has changed.
func (e *editor) accept(text []byte, err error, path []string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	tree, err := e.decode(text)
	if err != nil || !reflect.DeepEqual(without(tree, path), without(e.tree, path)) {
		return fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafeEdit)
	}
	e.text, e.tree = text, tree
	return nil
}

// Apply returns the text with the entries. It returns text itself if nothing changes.
func (f Format) Apply(text []byte, entries []Entry) ([]byte, error) {
	e, err := f.open(text)
	if err != nil {
		return nil, err
	}
	for _, n := range entries {
		if err := e.apply(n); err != nil {
			return nil, err
		}
	}
	return e.text, nil
}

func (e *editor) apply(n Entry) error {
	old, exists := lookup(e.tree, n.Path)
	switch {
	case n.Absent && exists:
		return e.removeValue(n.Path)
	case n.Absent, n.IfMissing && exists, exists && reflect.DeepEqual(old, n.decoded()):
		return nil
	}
	if err := e.setValue(n.Path, n.encoded()); err != nil {
		return err
	}
	if got, _ := lookup(e.tree, n.Path); !reflect.DeepEqual(got, n.decoded()) {
		return fmt.Errorf("%s: %w", n.label(), errUnsafeEdit)
	}
	return nil
}

// IsEmpty reports whether the text has neither a value nor a comment.
func (f Format) IsEmpty(text []byte) bool {
	e, err := f.open(text)
	return err == nil && len(e.tree) == 0 && !slices.ContainsFunc([]string{"#", "//", "/*"}, func(mark string) bool { return strings.Contains(string(text), mark) })
}

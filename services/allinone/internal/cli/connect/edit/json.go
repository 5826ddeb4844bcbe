package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// jsonCodec edits JSON with comments and trailing commas.
type jsonCodec struct{}

var errNoObject = errors.New("the value is not an object")

func (jsonCodec) decode(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	if isBlank(text) {
		return tree, nil
	}
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %w", err)
	}
	if err := json.Unmarshal(standard, &tree); err != nil || tree == nil {
		return nil, errors.New("the file is not a JSON object")
	}
	return tree, nil
}

func (jsonCodec) set(text []byte, path []string, value any) ([]byte, error) {
	if isBlank(text) {
		text = []byte("{}\n")
	}
	root, object, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(jsonText(value))
	if err != nil {
		return nil, err
	}
	if err := detectLayout(text, object).setMember(object, path, v.Value, ""); err != nil {
		return nil, err
	}
	return root.Pack(), nil
}

func (jsonCodec) remove(text []byte, path []string) ([]byte, error) {
	root, object, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	for _, name := range path[:len(path)-1] {
		m := findMember(object, name)
		if m < 0 {
			return text, nil
		}
		child, ok := object.Members[m].Value.Value.(*hujson.Object)
		if !ok {
			return nil, errNoObject
		}
		object = child
	}
	if m := findMember(object, path[len(path)-1]); m >= 0 {
		removeMember(object, m)
	}
	return root.Pack(), nil
}

func parseObject(text []byte) (*hujson.Value, *hujson.Object, error) {
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, errNoObject
	}
	return &root, object, nil
}

// findMember returns the index of the member, or -1. Of two members with the same name,
// parsers use the last one.
func findMember(object *hujson.Object, name string) int {
	for i, m := range slices.Backward(object.Members) {
		if literal, ok := m.Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i
		}
	}
	return -1
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

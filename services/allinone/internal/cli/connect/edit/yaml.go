package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlCodec edits top-level keys of YAML files, and items of top-level lists.
type yamlCodec struct{}

func (yamlCodec) decode(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file is not a YAML mapping: %w", err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has more than one YAML document")
	}
	return tree, nil
}

func (yamlCodec) set(text []byte, path []string, value any) ([]byte, error) {
	file, err := scanYAML(text)
	if err != nil {
		return nil, err
	}
	if fields, ok := value.([]Field); ok && len(path) == 2 {
		return file.setItem(path[0], path[1], fields)
	}
	if len(path) != 1 {
		return nil, errUnsafeEdit
	}
	literal, err := flowText(value)
	if err != nil {
		return nil, err
	}
	if entry, ok := file.find(path[0]); ok {
		return file.replaceLines(entry.first, entry.end, file.keyLine(entry, " "+literal)), nil
	}
	return insertLines(text, len(text), path[0]+": "+literal+file.newline), nil
}

func (yamlCodec) remove(text []byte, path []string) ([]byte, error) {
	file, err := scanYAML(text)
	if err != nil {
		return nil, err
	}
	entry, ok := file.find(path[0])
	switch {
	case !ok:
		return text, nil
	case len(path) == 1:
		return file.replaceLines(entry.first, entry.end, ""), nil
	}
	return file.removeItem(entry, path[1])
}

// flowText returns a value in one line.
func flowText(value any) (string, error) {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		return "", err
	}
	if node.Kind != yaml.ScalarNode {
		node.Style = yaml.FlowStyle
	}
	text, err := yaml.Marshal(&node)
	line := strings.TrimSuffix(string(text), "\n")
	if strings.Contains(line, "\n") {
		return "", errUnsafeEdit
	}
	return line, err
}

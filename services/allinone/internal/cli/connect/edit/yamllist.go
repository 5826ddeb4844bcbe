package edit

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

var errFlowList = errors.New("the value is not a list with one item per line; edit it by hand")

// setItem sets an item of a list. A new item becomes the first one: clients use the first
// item unless the user selects another.
func (f *yamlFile) setItem(key, element string, fields []Field) ([]byte, error) {
	entry, ok := f.find(key)
	if !ok {
		item, err := f.itemLines(fields, defaultIndent)
		text := []byte(strings.Join(f.lines, ""))
		return insertLines(text, len(text), key+":"+f.newline+item), err
	}
	if isEmptyList(entry.value) {
		item, err := f.itemLines(fields, defaultIndent)
		return f.replaceLines(entry.first, entry.end, f.keyLine(entry, "")+item), err
	}
	if entry.value.Kind != yaml.SequenceNode || entry.value.Style&yaml.FlowStyle != 0 {
		return nil, errFlowList
	}
	item, err := f.itemLines(fields, strings.Repeat(" ", entry.value.Column-1))
	if err != nil {
		return nil, err
	}
	first, end, found, err := f.findItem(entry, element)
	if err != nil || found {
		return f.replaceLines(first, end, item), err
	}
	return f.replaceLines(entry.first+1, entry.first+1, item), nil
}

// removeItem removes the lines of an item.
func (f *yamlFile) removeItem(entry yamlEntry, element string) ([]byte, error) {
	if entry.value.Kind != yaml.SequenceNode || entry.value.Style&yaml.FlowStyle != 0 {
		return nil, errFlowList
	}
	first, end, _, err := f.findItem(entry, element)
	return f.replaceLines(first, end, ""), err
}

// findItem returns the lines of the item with a name.
func (f *yamlFile) findItem(entry yamlEntry, element string) (first, end int, found bool, err error) {
	items := entry.value.Content
	for i, item := range items {
		if fieldOf(item, "name") != strings.TrimPrefix(element, ItemPrefix) {
			continue
		}
		first, end = item.Line-1, entry.end
		if i+1 < len(items) {
			end = f.trimEnd(first+1, items[i+1].Line-1, false)
		}
		if !strings.HasPrefix(strings.TrimSpace(f.lines[first]), "-") {
			return 0, 0, false, errFlowList
		}
		return first, end, true, nil
	}
	return 0, 0, false, nil
}

func fieldOf(item *yaml.Node, name string) string {
	for i := 0; item.Kind == yaml.MappingNode && i < len(item.Content); i += 2 {
		if item.Content[i].Value == name {
			return item.Content[i+1].Value
		}
	}
	return ""
}

// itemLines returns the lines of an item.
func (f *yamlFile) itemLines(fields []Field, indent string) (string, error) {
	var b strings.Builder
	lead := indent + "- "
	for _, field := range fields {
		value, err := flowText(field.Value)
		if err != nil {
			return "", err
		}
		b.WriteString(lead + field.Name + ": " + value + f.newline)
		lead = indent + "  "
	}
	return b.String(), nil
}

func isEmptyList(value *yaml.Node) bool {
	return value.Tag == "!!null" || value.Kind == yaml.SequenceNode && len(value.Content) == 0
}

package edit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlCodec edits keys and tables of TOML files.
type tomlCodec struct{}

var errInlineTable = errors.New("the value is inside an inline table; write it as a [table], or edit it by hand")

func (tomlCodec) decode(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("the file is not valid TOML: %w", err)
	}
	return tree, nil
}

func (tomlCodec) set(text []byte, path []string, value any) ([]byte, error) {
	switch value.(type) {
	case string, bool, float64, int64:
	default:
		return nil, errUnsafeEdit
	}
	// JSON and TOML write these values in the same way.
	literal := string(jsonText(value))
	tables, err := scanTOML(text)
	if err != nil {
		return nil, err
	}
	if key, ok := findKey(tables, path); ok {
		return splice(text, key.value, key.end, literal), nil
	}
	if isInline(tables, path) {
		return nil, errInlineTable
	}
	newline := lineEnding(text)
	line := quoteKey(path[len(path)-1]) + " = " + literal + newline
	return insertKey(text, tables, path[:len(path)-1], line, newline), nil
}

// insertKey inserts a line into a table. A new table is added at the end of the text.
func insertKey(text []byte, tables []tomlTable, table []string, line, newline string) []byte {
	for _, t := range tables {
		if slices.Equal(t.path, table) && !t.isArray {
			if len(table) == 0 && len(t.keys) == 0 && len(tables) > 1 {
				line += newline // separates the keys from the first table
			}
			return insertLines(text, t.end, line)
		}
	}
	header := "[" + joinKeys(table) + "]" + newline
	if len(text) > 0 {
		header = newline + header
	}
	return insertLines(text, len(text), header+line)
}

func (tomlCodec) remove(text []byte, path []string) ([]byte, error) {
	tables, err := scanTOML(text)
	if err != nil {
		return nil, err
	}
	if key, ok := findKey(tables, path); ok {
		return splice(text, lineStart(text, key.start), lineEnd(text, key.end), ""), nil
	}
	for _, t := range tables[1:] {
		if slices.Equal(t.path, path) && len(t.keys) == 0 && !t.isArray {
			return splice(text, skipBlankLineBefore(text, t.start), t.end, ""), nil
		}
	}
	if isInline(tables, path) {
		return nil, errInlineTable
	}
	return text, nil
}

// skipBlankLineBefore returns the start of the empty line in front of offset, or offset.
func skipBlankLineBefore(text []byte, offset int) int {
	if offset == 0 {
		return 0
	}
	if previous := lineStart(text, offset-1); isBlank(text[previous:offset]) {
		return previous
	}
	return offset
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func quoteKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return string(jsonText(name))
}

func joinKeys(path []string) string {
	var names []string
	for _, name := range path {
		names = append(names, quoteKey(name))
	}
	return strings.Join(names, ".")
}

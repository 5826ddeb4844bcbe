package edit

import (
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlTable is a table header with the keys below it. The first table is the part of the
// file in front of all headers.
type tomlTable struct {
	path    []string
	isArray bool
	// start is the offset of the header line. end is the offset after the line of the last
	// key, where a new key goes.
	start, end int
	keys       []tomlKey
}

// tomlKey is a key with its value. The offsets are those of the key, of the value and of
// the end of the value.
type tomlKey struct {
	path              []string
	start, value, end int
}

func scanTOML(text []byte) ([]tomlTable, error) {
	tables := []tomlTable{{}}
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		switch node := parser.Expression(); node.Kind {
		case unstable.Table, unstable.ArrayTable:
			tables = append(tables, readHeader(text, node))
		case unstable.KeyValue:
			table := &tables[len(tables)-1]
			key := readKey(text, table.path, node)
			table.keys = append(table.keys, key)
			table.end = lineEnd(text, key.end)
		default:
		}
	}
	if err := parser.Error(); err != nil {
		return nil, fmt.Errorf("the file is not valid TOML: %w", err)
	}
	if len(tables) == 1 && len(tables[0].keys) == 0 {
		tables[0].end = len(text) // after the comments of a file that has nothing else
	}
	return tables, nil
}

func readHeader(text []byte, node *unstable.Node) tomlTable {
	path, start, end := readPath(node)
	return tomlTable{path: path, isArray: node.Kind == unstable.ArrayTable, start: lineStart(text, start), end: lineEnd(text, end)}
}

func readKey(text []byte, table []string, node *unstable.Node) tomlKey {
	path, _, end := readPath(node)
	start := int(node.Raw.Offset)
	value := end
	for text[value] == ' ' || text[value] == '\t' || text[value] == '=' {
		value++
	}
	return tomlKey{path: slices.Concat(table, path), start: start, value: value, end: start + int(node.Raw.Length)}
}

// readPath returns the parts of a key and the offsets of its start and end.
func readPath(node *unstable.Node) (path []string, start, end int) {
	for keys := node.Key(); keys.Next(); {
		part := keys.Node()
		if path == nil {
			start = int(part.Raw.Offset)
		}
		path = append(path, string(part.Data))
		end = int(part.Raw.Offset + part.Raw.Length)
	}
	return path, start, end
}

func findKey(tables []tomlTable, path []string) (tomlKey, bool) {
	for _, t := range tables {
		for _, key := range t.keys {
			if !t.isArray && slices.Equal(key.path, path) {
				return key, true
			}
		}
	}
	return tomlKey{}, false
}

// isInline reports whether the path leads into the value of a key, such as an inline table.
func isInline(tables []tomlTable, path []string) bool {
	for _, t := range tables {
		for _, key := range t.keys {
			if len(key.path) < len(path) && slices.Equal(key.path, path[:len(key.path)]) {
				return true
			}
		}
	}
	return false
}

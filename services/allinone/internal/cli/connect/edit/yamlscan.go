package edit

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlFile is a file with the lines of its top-level entries.
type yamlFile struct {
	newline string
	lines   []string // with their line endings
	entries []yamlEntry
}

// yamlEntry is a top-level key. Its lines are those from first to before end, without the
// comments and empty lines after it. Line numbers start at 0.
type yamlEntry struct {
	key, value *yaml.Node
	first, end int
}

func scanYAML(text []byte) (*yamlFile, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	file := &yamlFile{newline: lineEnding(text), lines: strings.SplitAfter(string(text), "\n")}
	if document.Kind == 0 {
		return file, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || bytes.Contains(text, []byte("\n...")) {
		return nil, errUnsafeEdit
	}
	for i := 0; i < len(root.Content); i += 2 {
		entry := yamlEntry{key: root.Content[i], value: root.Content[i+1], first: root.Content[i].Line - 1, end: len(file.lines)}
		if i+2 < len(root.Content) {
			entry.end = root.Content[i+2].Line - 1
		}
		entry.end = file.trimEnd(entry.first+1, entry.end, entry.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0)
		file.entries = append(file.entries, entry)
	}
	return file, nil
}

// trimEnd leaves out comments and empty lines at the end of a range of lines. In a block of
// literal text, indented lines are never comments.
func (f *yamlFile) trimEnd(first, end int, isBlock bool) int {
	for end > first {
		line := strings.TrimSpace(f.lines[end-1])
		isComment := strings.HasPrefix(line, "#") && (!isBlock || f.lines[end-1][0] == '#')
		if line != "" && !isComment {
			break
		}
		end--
	}
	return end
}

func (f *yamlFile) find(key string) (yamlEntry, bool) {
	for _, e := range f.entries {
		if e.key.Value == key {
			return e, true
		}
	}
	return yamlEntry{}, false
}

// keyLine returns the line of a key with another value. A comment at its end stays.
func (f *yamlFile) keyLine(e yamlEntry, value string) string {
	line := strings.TrimRight(f.lines[e.first], "\r\n")
	after := e.key.Column - 1 + len(e.key.Value)
	if e.key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		after += len(`""`)
	}
	colon := after + strings.IndexByte(line[after:], ':') + 1
	comment := e.value.LineComment
	if comment == "" {
		comment = e.key.LineComment
	}
	if at := strings.LastIndex(line, comment); comment != "" && at > colon {
		value += line[len(strings.TrimRight(line[:at], " \t")):]
	}
	return line[:colon] + value + f.newline
}

// replaceLines returns the text with the lines from first to before end replaced.
func (f *yamlFile) replaceLines(first, end int, replacement string) []byte {
	head := strings.Join(f.lines[:first], "")
	if head != "" && !strings.HasSuffix(head, "\n") && replacement != "" {
		head += f.newline
	}
	return []byte(head + replacement + strings.Join(f.lines[end:], ""))
}

package policy

import (
	"maps"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// experimentsText is a document in lines, with the lines of its experiments.
type experimentsText struct {
	before string
	lines  []string
	// header is the line of "experiments:", or -1. indent is the indentation of the entries.
	header, indent int
	entries        []experimentEntry
}

// experimentEntry has the lines first to last, comments directly above it included.
type experimentEntry struct {
	name        string
	node        ast.Node
	first, last int
}

func splitExperiments(document string) (*experimentsText, error) {
	root, problems := parse([]byte(document))
	if len(problems) > 0 {
		return nil, problems.sortByPosition()
	}
	t := &experimentsText{before: document, header: -1, indent: 2}
	if document != "" && !strings.HasSuffix(document, "\n") {
		document += "\n"
	}
	t.lines = strings.SplitAfter(document, "\n")
	t.lines = t.lines[:len(t.lines)-1] // the rest after the last line break is empty
	for _, section := range mapEntries(root) {
		if section.name != "experiments" {
			continue
		}
		t.header = section.key.Position.Line - 1
		if title, _, _ := strings.Cut(t.lines[t.header], "#"); strings.TrimSpace(title) != "experiments:" {
			return nil, errExperimentsNotEditable
		}
		return t, t.addEntries(mapEntries(section.node))
	}
	return t, nil
}

func (t *experimentsText) addEntries(all []value) error {
	done := t.header + 1
	for _, e := range all {
		line := e.key.Position.Line - 1
		t.indent = e.key.Position.Column - 1
		if line < done || line >= len(t.lines) || indentOf(t.lines[line]) != t.indent {
			return errExperimentsNotEditable
		}
		first := line
		for first > done && isComment(t.lines[first-1]) {
			first--
		}
		last := lastLineOf(t.lines, line, t.indent)
		t.entries = append(t.entries, experimentEntry{e.name, e.node, first, last})
		done = last + 1
	}
	return nil
}

func (t *experimentsText) find(name string) *experimentEntry {
	for i := range t.entries {
		if t.entries[i].name == name {
			return &t.entries[i]
		}
	}
	return nil
}

func (t *experimentsText) insert(at int, line string) {
	t.lines = append(t.lines[:at:at], append([]string{line}, t.lines[at:]...)...)
}

// insertInto adds text behind a mark at a position, both counted from 1.
func (t *experimentsText) insertInto(line, column int, mark, text string) error {
	old := t.lines[line-1]
	if column > len(old) || !strings.HasPrefix(old[column-1:], mark) {
		return errExperimentsNotEditable
	}
	at := column - 1 + len(mark)
	t.lines[line-1] = old[:at] + text + old[at:]
	return nil
}

// replace replaces a scalar.
func (t *experimentsText) replace(node ast.Node, text string) error {
	at := node.GetToken().Position
	old, was := t.lines[at.Line-1], node.GetToken().Value
	if at.Column > len(old) || !strings.HasPrefix(old[at.Column-1:], was) {
		return errExperimentsNotEditable
	}
	t.lines[at.Line-1] = old[:at.Column-1] + text + old[at.Column-1+len(was):]
	return nil
}

// check returns the changed document if exactly the expected states of experiments changed.
func (t *experimentsText) check(edit func(map[string]string)) (string, error) {
	changed := strings.Join(t.lines, "")
	want, err := pausedStates(t.before)
	if err != nil {
		return "", err
	}
	edit(want)
	got, err := pausedStates(changed)
	if err != nil || !maps.Equal(got, want) {
		return "", errExperimentsNotEditable
	}
	return changed, nil
}

// pausedStates returns what is written as "paused", by experiment.
func pausedStates(document string) (map[string]string, error) {
	root, problems := parse([]byte(document))
	if len(problems) > 0 {
		return nil, problems.sortByPosition()
	}
	states := map[string]string{}
	for _, e := range mapEntries(findEntry(root, "experiments")) {
		states[e.name] = formatInline(findEntry(e.node, "paused"))
	}
	return states, nil
}

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value is a part of the document with its position.
type value struct {
	name string
	path string
	node ast.Node
	// key is the token of the value's name. It is nil for an item of a list.
	key *token.Token
}

// reader reads values of a document and collects problems. It continues after each
// problem, so that one pass finds as many as possible.
type reader struct {
	problems Problems
	// words collects what the document can have. It is nil except for KnownWords.
	words *wordCollector
}

const (
	// maxProblems bounds the list of problems, so that it fits into one message.
	maxProblems = 1000
	// maxEntries is the maximum number of entries in a list or a mapping.
	maxEntries = 5000
)

func (r *reader) reportProblem(v value, code, format string, args ...any) {
	r.reportUnknownName(v, code, "", nil, format, args...)
}

// reportUnknownName reports a problem with a name that is not among the known names. It
// suggests the nearest known name.
func (r *reader) reportUnknownName(v value, code, name string, known []string, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, v.newProblem(code, fmt.Sprintf(format, args...), NearestName(name, known)))
	}
}

func (v value) newProblem(code, message, near string) Problem {
	p := Problem{Path: v.path, Line: 1, Column: 1, Code: code, Message: message, DidYouMean: near}
	if t := v.positionToken(); t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	return p
}

// positionToken returns the token whose position a problem shows. For a scalar or an item
// of a list it is a token of the value itself. For other values it is the name.
func (v value) positionToken() *token.Token {
	if _, ok := v.node.(ast.ScalarNode); (ok || v.key == nil) && v.node != nil && !v.isNull() {
		if m, ok := v.node.(ast.MapNode); ok {
			if it := m.MapRange(); it.Next() {
				return it.Key().GetToken()
			}
		}
		return v.node.GetToken()
	}
	return v.key
}

func (v value) isNull() bool {
	if v.node == nil {
		return true
	}
	_, ok := v.node.(*ast.NullNode)
	return ok
}

// readEntries returns the entries of a mapping in document order. A missing value
// counts as an empty mapping.
func (r *reader) readEntries(v value) []value {
	if v.isNull() {
		return nil
	}
	m, ok := v.node.(ast.MapNode)
	if !ok {
		r.reportProblem(v, CodeWrongType, "must be a mapping of names to values")
		return nil
	}
	var all []value
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name := formatKey(it.Key())
		e := value{name: name, path: joinPath(v.path, name), node: it.Value(), key: it.Key().GetToken()}
		if seen[name] {
			r.reportProblem(value{path: e.path, key: e.key}, CodeDuplicateKey, "%q is written twice: remove one", name)
			continue
		}
		seen[name] = true
		all = append(all, e)
	}
	if len(all) > maxEntries {
		r.reportProblem(v, CodeTooLarge, "too many entries: a mapping can have at most %d", maxEntries)
		return nil
	}
	return all
}

// readFields returns the entries of a mapping by name, and reports unknown names.
func (r *reader) readFields(v value, known ...string) map[string]value {
	r.words.addFields(v, known)
	all := map[string]value{}
	for _, e := range r.readEntries(v) {
		if !slices.Contains(known, e.name) {
			at := value{path: e.path, key: e.key}
			r.reportUnknownName(at, CodeUnknownField, e.name, known, "unknown field %q: known fields are %s", e.name, strings.Join(known, ", "))
			continue
		}
		all[e.name] = e
	}
	return all
}

func (r *reader) readItems(v value) []value {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		r.reportProblem(v, CodeWrongType, "must be a list")
		return nil
	}
	if len(s.Values) > maxEntries {
		r.reportProblem(v, CodeTooLarge, "too many entries: a list can have at most %d", maxEntries)
		return nil
	}
	all := make([]value, len(s.Values))
	for i, n := range s.Values {
		all[i] = value{path: fmt.Sprintf("%s[%d]", v.path, i), node: n}
	}
	return all
}

// setField reads a field into to, if the field is written.
func setField[T any](f map[string]value, name string, to *T, read func(value) T) {
	if v, ok := f[name]; ok {
		*to = read(v)
	}
}

func formatKey(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

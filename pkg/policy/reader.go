package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value is a part of the document with its place in it.
type value struct {
	name string
	path string
	node ast.Node
	// key is where its name is written; nil in a list.
	key *token.Token
}

// reader takes values out of a document and collects what is wrong with them.
// It goes on after every problem, so that all are found in one reading.
type reader struct {
	problems Problems
}

const (
	// maxProblems is more than anybody reads, and fits into one message.
	maxProblems = 1000
	// maxEntries is how many a list or a mapping may have.
	maxEntries = 5000
)

func (r *reader) fail(v value, code, format string, args ...any) {
	r.failNear(v, code, "", nil, format, args...)
}

// failNear is fail for a name that is not among the known ones.
func (r *reader) failNear(v value, code, name string, known []string, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, v.problem(code, fmt.Sprintf(format, args...), Nearest(name, known)))
	}
}

func (v value) problem(code, message, near string) Problem {
	p := Problem{Path: v.path, Line: 1, Column: 1, Code: code, Message: message, DidYouMean: near}
	if t := v.token(); t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	return p
}

// token is where a person looks for the value: a scalar itself, else the name
// it is written under.
func (v value) token() *token.Token {
	if _, ok := v.node.(ast.ScalarNode); (ok || v.key == nil) && v.node != nil && !v.null() {
		if m, ok := v.node.(ast.MapNode); ok {
			if it := m.MapRange(); it.Next() {
				return it.Key().GetToken()
			}
		}
		return v.node.GetToken()
	}
	return v.key
}

func (v value) null() bool {
	if v.node == nil {
		return true
	}
	_, ok := v.node.(*ast.NullNode)
	return ok
}

// entries are the values of a mapping in their order, under any names. Nothing
// written is an empty mapping.
func (r *reader) entries(v value) []value {
	if v.null() {
		return nil
	}
	m, ok := v.node.(ast.MapNode)
	if !ok {
		r.fail(v, CodeWrongType, "want a mapping of names to values")
		return nil
	}
	var all []value
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name := keyText(it.Key())
		e := value{name: name, path: join(v.path, name), node: it.Value(), key: it.Key().GetToken()}
		if seen[name] {
			r.fail(value{path: e.path, key: e.key}, CodeDuplicateKey, "%q is written twice", name)
			continue
		}
		seen[name] = true
		all = append(all, e)
	}
	if len(all) > maxEntries {
		r.fail(v, CodeTooLarge, "a mapping has at most %d entries", maxEntries)
		return nil
	}
	return all
}

// fields are the values of a mapping that has only the known names.
func (r *reader) fields(v value, known ...string) map[string]value {
	all := map[string]value{}
	for _, e := range r.entries(v) {
		if !slices.Contains(known, e.name) {
			at := value{path: e.path, key: e.key}
			r.failNear(at, CodeUnknownField, e.name, known, "there is no field %q here, only %s", e.name, strings.Join(known, ", "))
			continue
		}
		all[e.name] = e
	}
	return all
}

func (r *reader) items(v value) []value {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		r.fail(v, CodeWrongType, "want a list")
		return nil
	}
	if len(s.Values) > maxEntries {
		r.fail(v, CodeTooLarge, "a list has at most %d entries", maxEntries)
		return nil
	}
	all := make([]value, len(s.Values))
	for i, n := range s.Values {
		all[i] = value{path: fmt.Sprintf("%s[%d]", v.path, i), node: n}
	}
	return all
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

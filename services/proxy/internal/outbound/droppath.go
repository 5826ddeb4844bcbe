package outbound

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// dropPath is the path from a value to a nested member that must be removed.
type dropPath struct {
	// rest is the path below the current value: ".name", or "[].name" for the
	// elements of a list. full is the path from the top of the body.
	rest string
	full string
}

// dropPathsIn returns the paths of nested members to remove below the top-level
// member of that name.
func (e *bodyEditor) dropPathsIn(name []byte) []dropPath {
	var all []dropPath
	for _, full := range e.wire.Drop {
		n := len(name)
		if len(full) > n && (full[n] == '.' || full[n] == '[') && full[:n] == string(name) {
			all = append(all, dropPath{full[n:], full})
		}
	}
	return all
}

// descendPaths returns the paths that lead further into the named member. dropped
// is the full path that ends at the member itself, or "".
func descendPaths(paths []dropPath, name []byte) (deeper []dropPath, dropped string) {
	for _, p := range paths {
		rest, ok := strings.CutPrefix(p.rest, "."+string(name))
		switch {
		case !ok:
		case rest == "":
			dropped = p.full
		case rest[0] == '.' || rest[0] == '[':
			deeper = append(deeper, dropPath{rest, p.full})
		}
	}
	return deeper, dropped
}

// removePaths removes the members at the paths from v. base is the offset of v in
// the body.
func (e *bodyEditor) removePaths(v jsontext.Value, base int, paths []dropPath) {
	if len(paths) == 0 || v[0] != '{' && v[0] != '[' {
		return
	}
	var s jsonscan.Reader
	s.ResetLimited(v, true)
	if s.Enter(jsonscan.BeginArray) {
		paths = elementPaths(paths)
		for s.NextElement() {
			item := s.Value()
			e.removePaths(item, base+s.Offset()-len(item), paths)
		}
		return
	}
	s.Enter(jsonscan.BeginObject)
	var commas commaTracker
	for s.NextMember() {
		e.editNestedMember(&s, &commas, base, paths)
	}
}

// editNestedMember reads the current member. It removes the member or edits its
// value, and returns the original value.
func (e *bodyEditor) editNestedMember(s *jsonscan.Reader, commas *commaTracker, base int, paths []dropPath) jsontext.Value {
	from, name := base+s.MemberStart(), base+s.Offset()-len(s.RawName())
	e.beginMember(commas, name)
	deeper, dropped := descendPaths(paths, s.Name())
	v := s.Value()
	if dropped == "" {
		commas.hasKept = true
		e.removePaths(v, base+s.Offset()-len(v), deeper)
		return v
	}
	if !jsonscan.IsEmptyOrFalse(v) {
		e.noteDropped(dropped)
	}
	e.removeMember(commas, from, name, base+s.Offset())
	return v
}

// elementPaths returns the paths that lead into the elements of a list, relative
// to an element.
func elementPaths(paths []dropPath) []dropPath {
	var all []dropPath
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p.rest, "[]"); ok {
			all = append(all, dropPath{rest, p.full})
		}
	}
	return all
}

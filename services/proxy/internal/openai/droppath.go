package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	var s scanner
	s.reset(v, true)
	if s.enter(jsontext.KindBeginArray) {
		paths = elementPaths(paths)
		for s.nextElement() {
			item := s.readValue()
			e.removePaths(item, base+s.offset()-len(item), paths)
		}
		return
	}
	s.readToken()
	var commas commaTracker
	for s.nextMember() {
		e.editNestedMember(&s, &commas, base, paths)
	}
}

// editNestedMember reads the current member. It removes the member or edits its
// value, and returns the original value.
func (e *bodyEditor) editNestedMember(s *scanner, commas *commaTracker, base int, paths []dropPath) jsontext.Value {
	from, name := base+s.memberStart, base+s.offset()-len(s.rawName)
	e.beginMember(commas, name)
	deeper, dropped := descendPaths(paths, s.name)
	v := s.readValue()
	if dropped == "" {
		commas.hasKept = true
		e.removePaths(v, base+s.offset()-len(v), deeper)
		return v
	}
	if !isEmptyOrFalse(v) {
		e.noteDropped(dropped)
	}
	e.removeMember(commas, from, name, base+s.offset())
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

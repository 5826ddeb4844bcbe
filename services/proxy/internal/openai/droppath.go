package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// dropPath is the path from a value to a nested member that is removed.
type dropPath struct {
	// rest is the remaining path: .name, or [].name for the elements of a list.
	rest string
	full string
}

// dropPathsIn returns the paths that start in the member of that name.
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

// descendPaths returns the paths that lead further into the member. dropped is
// the full path that ends at the member itself, or "".
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

// removePaths removes from v, which starts at offset base, the members at the
// paths.
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

// editNestedMember reads the current member, removes it or edits its value, and
// returns the value as it was.
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

// elementPaths returns the paths that lead into the elements of a list.
func elementPaths(paths []dropPath) []dropPath {
	var all []dropPath
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p.rest, "[]"); ok {
			all = append(all, dropPath{rest, p.full})
		}
	}
	return all
}

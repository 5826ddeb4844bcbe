package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// route is the way from a value to a member inside of it that is left out.
type route struct {
	// rest is what remains of the way: .name, or [].name through a list.
	rest string
	full string
}

// routes are the ways that begin in the member of that name.
func (e *editor) routes(name []byte) []route {
	var all []route
	for _, full := range e.wire.Drop {
		n := len(name)
		if len(full) > n && (full[n] == '.' || full[n] == '[') && full[:n] == string(name) {
			all = append(all, route{full[n:], full})
		}
	}
	return all
}

// into are the routes that lead into the member, and the one that leads to it.
func into(routes []route, name []byte) (inside []route, to string) {
	for _, r := range routes {
		rest, ok := strings.CutPrefix(r.rest, "."+string(name))
		switch {
		case !ok:
		case rest == "":
			to = r.full
		case rest[0] == '.' || rest[0] == '[':
			inside = append(inside, route{rest, r.full})
		}
	}
	return inside, to
}

// strip leaves out of v, which stands at base, the members that the routes lead
// to.
func (e *editor) strip(v jsontext.Value, base int, routes []route) {
	if len(routes) == 0 || v[0] != '{' && v[0] != '[' {
		return
	}
	var s scanner
	s.reset(v, true)
	if s.open(jsontext.KindBeginArray) {
		routes = elements(routes)
		for s.element() {
			item := s.value()
			e.strip(item, base+s.offset()-len(item), routes)
		}
		return
	}
	s.token()
	var g gap
	for s.member() {
		e.stripMember(&s, &g, base, routes)
	}
}

// stripMember reads the member that s has come to, and returns its value.
func (e *editor) stripMember(s *scanner, g *gap, base int, routes []route) jsontext.Value {
	from, name := base+s.before, base+s.offset()-len(s.rawName)
	e.begin(g, name)
	inside, to := into(routes, s.name)
	v := s.value()
	if to == "" {
		g.kept = true
		e.strip(v, base+s.offset()-len(v), inside)
		return v
	}
	if !isNothing(v) {
		e.drop(to)
	}
	e.remove(g, from, name, base+s.offset())
	return v
}

// elements are the routes through a list.
func elements(routes []route) []route {
	var all []route
	for _, r := range routes {
		if rest, ok := strings.CutPrefix(r.rest, "[]"); ok {
			all = append(all, route{rest, r.full})
		}
	}
	return all
}

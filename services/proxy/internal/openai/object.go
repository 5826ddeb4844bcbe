package openai

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members come in pieces, or again and again.
type object []piece

type piece struct {
	rawName string
	data    []byte
}

// join adds to a member: strings and arrays go on where they ended, anything
// else replaces what was there. Strings are joined as written, which is right
// also where an upstream cut a pair of escapes in two.
func (o *object) join(rawName string, v jsontext.Value) {
	if isBlank(v) {
		return
	}
	p := o.piece(rawName)
	switch {
	case len(p.data) == 0 || p.data[0] != v[0] || v[0] != '"' && v[0] != '[':
		p.data = append(p.data[:0], v...)
	case v[0] == '"':
		p.data = append(p.data[:len(p.data)-1], v[1:]...)
	default:
		p.joinArray(v)
	}
}

// joinArray adds elements, of which there may be none, however that is written.
func (p *piece) joinArray(v jsontext.Value) {
	switch {
	case len(bytes.TrimSpace(v[1:len(v)-1])) == 0:
	case len(bytes.TrimSpace(p.data[1:len(p.data)-1])) == 0:
		p.data = append(p.data[:0], v...)
	default:
		p.data = append(p.data[:len(p.data)-1], ',')
		p.data = append(p.data, v[1:]...)
	}
}

// set makes a member be v, unless v says nothing.
func (o *object) set(rawName string, v jsontext.Value) {
	if isNull(v) {
		return
	}
	p := o.piece(rawName)
	p.data = append(p.data[:0], v...)
}

// piece is the member of that name, a new one if need be.
func (o *object) piece(rawName string) *piece {
	at := slices.IndexFunc(*o, func(p piece) bool { return p.rawName == rawName })
	if at < 0 {
		*o = append(*o, piece{rawName: rawName})
		at = len(*o) - 1
	}
	return &(*o)[at]
}

// each calls f with members written one after the other, each with its comma.
func each(extra []byte, f func(rawName string, v jsontext.Value)) {
	if len(extra) == 0 {
		return
	}
	text := append([]byte{'{'}, extra[1:]...)
	var s scanner
	s.reset(append(text, '}'), true)
	s.token()
	for s.member() {
		name := string(s.rawName)
		f(name, s.value())
	}
}

// check refuses an object with so many members that finding one takes long.
func (o object) check() error {
	if len(o) > maxMembers {
		return invalidResponse(errTooMany.Error())
	}
	return nil
}

// appendMembers writes the members, each with a comma before it.
func (o object) appendMembers(dst []byte) []byte {
	for _, p := range o {
		dst = appendMember(dst, []byte(p.rawName), p.data)
	}
	return dst
}

func (o object) append(dst []byte) []byte {
	from := len(dst)
	dst = o.appendMembers(dst)
	if len(dst) == from {
		return append(dst, "{}"...)
	}
	dst[from] = '{'
	return append(dst, '}')
}

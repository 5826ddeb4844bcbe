// Package namelist holds short lists of names that clients or upstreams choose, such as
// request fields. The lists appear in response headers, in records and on pages, so their
// length and their characters are limited.
package namelist

import (
	"slices"
	"strings"
)

const (
	// maxNames and maxName limit a list.
	maxNames = 32
	maxName  = 64
)

// List is a list of different names.
type List []string

// Add adds a name, unless the list already has it. A name that is too long or that is not safe
// in a response header becomes "other".
func (l *List) Add(name string) {
	isUnsafe := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' || r == '"' }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, isUnsafe) {
		name = "other"
	}
	if len(*l) < maxNames && !slices.Contains(*l, name) {
		*l = append(*l, name)
	}
}

// AddAll adds names.
func (l *List) AddAll(names []string) {
	for _, name := range names {
		l.Add(name)
	}
}

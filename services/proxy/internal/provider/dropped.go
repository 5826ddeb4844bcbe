package provider

import (
	"slices"
	"strings"
)

const (
	// maxDropped and maxFieldName limit a list of dropped fields, because a response header
	// contains it.
	maxDropped   = 32
	maxFieldName = 64
)

// DroppedFields names the request fields that are not sent, or not with the client's value.
type DroppedFields []string

// Add adds a field, unless the list already has it. Clients choose the names, so a name that
// is not safe in a response header becomes "other".
func (d *DroppedFields) Add(name string) {
	isUnsafe := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' || r == '"' }
	if name == "" || len(name) > maxFieldName || strings.ContainsFunc(name, isUnsafe) {
		name = "other"
	}
	if len(*d) < maxDropped && !slices.Contains(*d, name) {
		*d = append(*d, name)
	}
}

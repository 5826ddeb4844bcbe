package jsonscan

import (
	"errors"
	"fmt"
)

// maxDepth limits the nesting of a JSON text. Real bodies stay below twenty.
const maxDepth = 64

// The limits on members exist because each name is compared with the other names of
// its object. This takes far longer than reading plain text of the same length.
const (
	// MaxMembers applies to objects that the caller walks with NextMember. Real objects
	// have dozens of members.
	MaxMembers = 1_000
	// maxObjectNames applies to other objects, such as a table that a user sends.
	maxObjectNames = 10_000
)

// ErrTooManyMembers is the cause of the error for a text with too many members.
var ErrTooManyMembers = errors.New("too many members")

var errTooDeep = fmt.Errorf("nested deeper than %d levels", maxDepth)

// readerLimits bounds the work that a text from outside can cause.
type readerLimits struct {
	enabled bool
	// nameCount is how many names were read. maxNameCount is its limit, or 0 for none.
	nameCount, maxNameCount int
}

// ResetLimited is like Reset, but the reader rejects a text that is nested too deeply or
// has an object with too many members.
func (r *Reader) ResetLimited(src []byte, lenient bool) {
	r.Reset(src, lenient)
	r.limits.enabled = true
}

// LimitNames also limits the names of all objects together. Call it after ResetLimited.
func (r *Reader) LimitNames(n int) { r.limits.maxNameCount = n }

// checkNames counts the last token if it is a name. It sets an error if the current
// object has more than limit names, or all objects together have too many.
func (r *Reader) checkNames(limit int) {
	l := &r.limits
	if !l.enabled || r.err != nil {
		return
	}
	n, isName := r.scanner.CountNames()
	if isName {
		l.nameCount++
	}
	if n > limit || l.maxNameCount > 0 && l.nameCount > l.maxNameCount {
		r.failAtOffset(ErrTooManyMembers)
	}
}

// failAtOffset sets an error with the current offset.
func (r *Reader) failAtOffset(err error) {
	r.SetError(&Error{Offset: r.Offset(), Text: err.Error(), Cause: err})
}

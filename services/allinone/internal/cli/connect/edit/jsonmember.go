package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const (
	whitespace    = " \t\r\n"
	defaultIndent = "  "
)

// layout is how a JSON file separates its members.
type layout struct {
	// newline is empty if the file has everything in one line.
	newline string
	// indent is the indentation of one level.
	indent string
}

func detectLayout(text []byte, root *hujson.Object) layout {
	l := layout{newline: lineEnding(text), indent: defaultIndent}
	if len(root.Members) == 0 {
		return l
	}
	extra := string(root.Members[0].Name.BeforeExtra)
	end := strings.LastIndexByte(extra, '\n')
	if end < 0 {
		return layout{}
	}
	l.indent = extra[end+1:]
	return l
}

// setMember sets the value at path below the object. indent is the indentation of the line
// with the closing brace of the object.
func (l layout) setMember(object *hujson.Object, path []string, value hujson.ValueTrimmed, indent string) error {
	i := findMember(object, path[0])
	if i < 0 {
		first := value
		if len(path) > 1 {
			first = &hujson.Object{}
		}
		i = l.appendMember(object, path[0], first, indent)
	}
	member := &object.Members[i]
	if len(path) == 1 {
		member.Value.Value = value
		return nil
	}
	child, ok := member.Value.Value.(*hujson.Object)
	if !ok {
		return errNoObject
	}
	extra := string(member.Name.BeforeExtra)
	if end := strings.LastIndexByte(extra, '\n'); end >= 0 {
		indent = extra[end+1:]
	}
	return l.setMember(child, path[1:], value, indent)
}

// appendMember adds a member at the end. Comments between the last member and the closing
// brace stay in front of the new member.
func (l layout) appendMember(object *hujson.Object, name string, value hujson.ValueTrimmed, indent string) int {
	before, after := l.newline+indent+l.indent, l.newline+indent
	space := hujson.Extra(" ")
	comment := bytes.TrimRight(object.AfterExtra, whitespace)
	trailingComma := hujson.Extra(nil)
	if n := len(object.Members); n > 0 {
		last := object.Members[n-1]
		before, after = separator(last, n), string(object.AfterExtra[len(comment):])
		if len(bytes.TrimSpace(last.Value.BeforeExtra)) == 0 {
			space = last.Value.BeforeExtra
		}
		if last.Value.AfterExtra != nil {
			trailingComma = hujson.Extra{}
		}
	} else if l.newline == "" {
		before, after = "", ""
	}
	object.Members = append(object.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: joinExtra(comment, []byte(before)), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: space, Value: value, AfterExtra: trailingComma},
	})
	object.AfterExtra = hujson.Extra(after)
	return len(object.Members) - 1
}

// separator returns the whitespace in front of a member that follows the last of n members.
func separator(last hujson.ObjectMember, n int) string {
	extra := string(last.Name.BeforeExtra)
	if end := strings.LastIndexByte(extra, '\n'); end >= 0 {
		start := end
		if start > 0 && extra[start-1] == '\r' {
			start--
		}
		return extra[start:]
	}
	if n == 1 {
		extra = string(last.Value.BeforeExtra)
	}
	return extra[len(strings.TrimRight(extra, whitespace)):]
}

// removeMember removes a member. Comments in front of it stay.
func removeMember(object *hujson.Object, i int) {
	gone := object.Members[i]
	next := &object.AfterExtra
	if i+1 < len(object.Members) {
		next = &object.Members[i+1].Name.BeforeExtra
	}
	*next = joinExtra(bytes.TrimRight(gone.Name.BeforeExtra, whitespace), *next)
	wasLast := i == len(object.Members)-1
	object.Members = slices.Delete(object.Members, i, i+1)
	switch n := len(object.Members); {
	case n == 0 && isBlank(object.AfterExtra):
		object.AfterExtra = nil
	case n > 0 && wasLast:
		endMembers(object, &object.Members[n-1].Value, gone.Value.AfterExtra != nil)
	}
}

// endMembers makes a value the last one of its object, with or without a comma after it.
func endMembers(object *hujson.Object, last *hujson.Value, comma bool) {
	switch {
	case comma && last.AfterExtra == nil:
		last.AfterExtra = hujson.Extra{}
	case !comma:
		object.AfterExtra = joinExtra(last.AfterExtra, object.AfterExtra)
		last.AfterExtra = nil
	}
}

// joinExtra puts a comment in front of whitespace. A line comment needs a line end after it.
func joinExtra(comment, next []byte) hujson.Extra {
	joined := slices.Clone(comment)
	if bytes.Contains(comment, []byte("//")) && !bytes.Contains(next, []byte("\n")) {
		joined = append(joined, '\n')
	}
	return append(joined, next...)
}

// lineEnding returns the line ending of a text.
func lineEnding(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

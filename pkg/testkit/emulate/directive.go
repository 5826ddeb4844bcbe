package emulate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// directives say, by name, what a call gets instead of a normal response. A name in the
// vendor's table of problems rejects the call with that problem.
type directives map[string]string

// knownDirectives are the directives of all vendors with the kind of their values.
var knownDirectives = map[string]string{
	"delay":     "duration", // silence before the first byte
	"pace":      "duration", // silence before each later piece
	"drip":      "",         // one byte at a time
	"cut":       "number",   // the connection closes after so many bytes
	"reset":     "number",   // the same with a TCP reset
	"stall":     "number",   // silence for good after so many pieces
	"error":     "number",   // an error in the stream after so many pieces
	"hang":      "",         // no response at all
	"html":      "",         // a balancer's page with status 502
	"empty":     "",         // status 200 and no body
	"garbage":   "",         // a body that is none of the vendor's
	"type":      "",         // a wrong Content-Type
	"dup":       "",         // the first piece of a stream twice
	"comments":  "",         // SSE comments and blank lines between events
	"crlf":      "",         // lines of a stream end in CRLF
	"tight":     "",         // no space after "data:"
	"coalesce":  "",         // all events of a stream in one piece
	"lump":      "",         // all text of a stream in one event
	"gzip":      "",         // a compressed body, asked for or not
	"after":     "text",     // the value of Retry-After: seconds or a date
	"say":       "text",     // the text of the response
	"words":     "number",   // a response of so many words
	"text":      "",         // text before the calls of tools, or before a block
	"redacted":  "",         // thinking that only the vendor can read
	"block":     "",         // a response that was stopped for its content
	"usageless": "",         // no usage in the response
	"on":        "text",     // only at this vendor
	"times":     "number",   // only so many times with the same request
}

// parseDirectives reads directives such as "429" and "cut=100;pace=5ms".
func parseDirectives(list string) directives {
	d := directives{}
	for item := range strings.SplitSeq(list, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		if name != "" {
			d[name] = value
		}
	}
	return d
}

// check reports unknown directives; the message is for the author of the test.
func (d directives) check(table map[string]problem) error {
	for name, value := range d {
		kind, ok := knownDirectives[name]
		if _, refuses := table[name]; !ok && !refuses {
			return fmt.Errorf("emulate: there is no directive %q here", name)
		}
		if !isValidValue(kind, value) {
			return fmt.Errorf("emulate: directive %q takes no %q", name, value)
		}
	}
	return nil
}

func isValidValue(kind, value string) (ok bool) {
	err := error(nil)
	switch kind {
	case "":
		return value == ""
	case "number":
		_, err = strconv.Atoi(value)
	case "duration":
		_, err = time.ParseDuration(value)
	}
	return err == nil
}

func (d directives) has(name string) bool { _, ok := d[name]; return ok }

// number returns a directive's value; 0 if it is absent.
func (d directives) number(name string) int {
	n, _ := strconv.Atoi(d[name])
	return max(n, 0)
}

func (d directives) duration(name string) time.Duration {
	v, _ := time.ParseDuration(d[name])
	return v
}

// String lists the directives sorted by name.
func (d directives) String() string {
	items := make([]string, 0, len(d))
	for _, name := range slices.Sorted(maps.Keys(d)) {
		item := name
		if d[name] != "" {
			item += "=" + d[name]
		}
		items = append(items, item)
	}
	return strings.Join(items, ";")
}

// applyDirectives applies a list of directives and returns the problem that one of them requests.
func (c *call) applyDirectives(list string) *problem {
	d := parseDirectives(list)
	if on := d["on"]; on != "" && on != c.server.name() {
		return nil
	}
	if err := d.check(c.server.table); err != nil {
		p := c.findProblem("400")
		p.message = err.Error()
		return p
	}
	if d.has("times") && !c.server.queue.isWithinFirst(string(c.body)+list, d.number("times")) {
		return nil
	}
	if c.directives == nil {
		c.directives = directives{}
	}
	maps.Copy(c.directives, d)
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if p := c.findProblem(name); p != nil {
			p.delay(d["after"])
			return p
		}
	}
	return nil
}

// applyTextDirectives applies the directives in a text, as in "hello [[emulate:429]]".
func (c *call) applyTextDirectives(said string) *problem {
	for {
		_, rest, found := strings.Cut(said, "[[emulate:")
		list, after, closed := strings.Cut(rest, "]]")
		if !found || !closed {
			return nil
		}
		if p := c.applyDirectives(list); p != nil {
			return p
		}
		said = after
	}
}

// unmarked returns a text without its directives.
func unmarked(said string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(said, "[[emulate:")
		_, after, closed := strings.Cut(rest, "]]")
		if !found || !closed {
			b.WriteString(said)
			return strings.TrimSpace(b.String())
		}
		b.WriteString(before)
		said = after
	}
}

func (p *problem) delay(after string) {
	if after == "" {
		return
	}
	header := map[string]string{"Retry-After": after}
	for name, value := range p.header {
		if name != "Retry-After" && name != "Retry-After-Ms" {
			header[name] = value
		}
	}
	p.header = header
}

func (s *Server) name() string { return strings.TrimPrefix(fmt.Sprintf("%T", s.dialect), "emulate.") }

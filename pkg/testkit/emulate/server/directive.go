package server

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Directives are instructions, by name, that change the response to a call. A directive can also be the
// name of one of the vendor's problems, such as "429". Then the call is rejected with that problem.
type Directives map[string]string

// knownDirectives lists the directives that all vendors support, with the type of their values. An empty
// type means that the directive has no value.
var knownDirectives = map[string]string{
	"delay":     "duration", // a pause before the first byte
	"pace":      "duration", // a pause before each piece
	"drip":      "",         // one byte at a time
	"cut":       "number",   // the connection closes after this many bytes
	"reset":     "number",   // a TCP reset after this many bytes
	"stall":     "number",   // no more data after this many pieces
	"error":     "number",   // an error in the stream after this many pieces
	"hang":      "",         // no response at all
	"html":      "",         // the error page of a load balancer, with status 502
	"empty":     "",         // a response without a body
	"garbage":   "",         // a body that is not JSON
	"type":      "",         // a wrong Content-Type
	"dup":       "",         // the first piece of a stream is sent twice
	"comments":  "",         // SSE comments and blank lines between events
	"crlf":      "",         // the lines of a stream end in CRLF
	"tight":     "",         // no space after "data:"
	"coalesce":  "",         // all events of a stream in one piece
	"lump":      "",         // all text of a stream in one event
	"gzip":      "",         // a compressed body, even if the client does not accept it
	"after":     "text",     // the value of Retry-After: seconds or a date
	"say":       "text",     // the text of the response
	"words":     "number",   // a response with this many words
	"text":      "",         // text before the tool calls, or before the content is blocked
	"redacted":  "",         // thinking that only the vendor can read
	"block":     "",         // a response that the content filter has stopped
	"usageless": "",         // no usage in the response
	"on":        "text",     // apply the directives only at this vendor
	"times":     "number",   // apply the directives only to the first calls with the same body
}

// parseDirectives parses lists such as "429" and "cut=100;pace=5ms".
func parseDirectives(list string) Directives {
	d := Directives{}
	for item := range strings.SplitSeq(list, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		if name != "" {
			d[name] = value
		}
	}
	return d
}

// check returns an error for an unknown directive or an invalid value. Authors of tests see the message.
func (d Directives) check(table map[string]Problem) error {
	for name, value := range d {
		kind, ok := knownDirectives[name]
		if _, refuses := table[name]; !ok && !refuses {
			return fmt.Errorf("emulate: unknown directive %q for this vendor", name)
		}
		if !isValidValue(kind, value) {
			return fmt.Errorf("emulate: invalid value %q of directive %q", value, name)
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

// Has reports whether the directive applies to the call.
func (d Directives) Has(name string) bool { _, ok := d[name]; return ok }

// number returns the value of a directive, or 0 if the directive is absent.
func (d Directives) number(name string) int {
	n, _ := strconv.Atoi(d[name])
	return max(n, 0)
}

func (d Directives) duration(name string) time.Duration {
	v, _ := time.ParseDuration(d[name])
	return v
}

// String lists the directives sorted by name.
func (d Directives) String() string {
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

// applyDirectives adds a list of directives to the call. It returns a problem if one of the directives
// is the name of a problem, or if the list is invalid.
func (c *Call) applyDirectives(list string) *Problem {
	d := parseDirectives(list)
	if on := d["on"]; on != "" && on != c.Server.name {
		return nil
	}
	if err := d.check(c.Server.problems); err != nil {
		p := c.FindProblem("400")
		p.Message = err.Error()
		return p
	}
	if d.Has("times") && !c.Server.queue.isWithinFirst(string(c.Body)+list, d.number("times")) {
		return nil
	}
	if c.Directives == nil {
		c.Directives = Directives{}
	}
	maps.Copy(c.Directives, d)
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if p := c.FindProblem(name); p != nil {
			p.setRetryAfter(d["after"])
			return p
		}
	}
	return nil
}

// ApplyTextDirectives applies the directives in the text of a prompt, such as "hello [[emulate:429]]".
func (c *Call) ApplyTextDirectives(said string) *Problem {
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

func removeDirectives(said string) string {
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

func (p *Problem) setRetryAfter(after string) {
	if after == "" {
		return
	}
	header := map[string]string{}
	maps.Copy(header, p.Header)
	delete(header, "Retry-After-Ms")
	header["Retry-After"] = after
	p.Header = header
}

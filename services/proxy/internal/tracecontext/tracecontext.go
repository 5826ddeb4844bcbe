// Package tracecontext reads and writes the headers of W3C Trace Context, which connect a request
// with the distributed trace of the client: traceparent and tracestate.
package tracecontext

import "encoding/hex"

// Names of the headers, in canonical form.
const (
	ParentHeader = "Traceparent"
	StateHeader  = "Tracestate"
)

const (
	// parentLength is the length of a traceparent of version 00.
	parentLength = 55
	// maxState is the longest tracestate that is read. The standard requires support of at
	// least 512 characters.
	maxState    = 512
	flagSampled = 1
)

// Context is the trace that a request belongs to.
type Context struct {
	TraceID [16]byte
	// Parent is the span of the client. It is zero if the trace begins with this request.
	Parent [8]byte
	// Span is the span of the request. It is zero unless IsRecorded.
	Span  [8]byte
	Flags byte
	// State is the client's tracestate, which the collector gets.
	State string
	// IsRecorded means that the spans of the request are collected.
	IsRecorded bool
	// Options are the sampling options of the request. They are read only if IsRecorded.
	Options Options
}

// Options are values of the request body that spans contain. Nil means that the client did not
// send the option.
type Options struct {
	Temperature, TopP *float64
	Seed              *int64
	Choices           int
}

// Parse parses the headers of a request. It returns false if there is no valid traceparent: then the
// standard demands to ignore tracestate too.
func Parse(parents, states []string) (Context, bool) {
	if len(parents) != 1 {
		return Context{}, false
	}
	var c Context
	p := parents[0]
	if !hasParentForm(p) {
		return Context{}, false
	}
	var flags [1]byte
	if !decodeHex(c.TraceID[:], p[3:35]) || !decodeHex(c.Parent[:], p[36:52]) || !decodeHex(flags[:], p[53:55]) {
		return Context{}, false
	}
	if c.TraceID == [16]byte{} || c.Parent == [8]byte{} {
		return Context{}, false
	}
	c.Flags, c.State = flags[0], joinState(states)
	return c, true
}

// hasParentForm checks the version and the separators. A later version may have more fields.
func hasParentForm(p string) bool {
	var version [1]byte
	if len(p) < parentLength || p[2] != '-' || p[35] != '-' || p[52] != '-' || !decodeHex(version[:], p[:2]) || version[0] == 0xff {
		return false
	}
	return len(p) == parentLength || version[0] > 0 && p[parentLength] == '-'
}

// decodeHex decodes lower-case digits. The standard forbids upper-case ones.
func decodeHex(dst []byte, text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// joinState joins the tracestate headers. It returns "" if they are too long or contain characters
// that a header must not contain.
func joinState(states []string) string {
	joined := ""
	for _, s := range states {
		if joined != "" {
			joined += ","
		}
		joined += s
	}
	if len(joined) > maxState {
		return ""
	}
	for i := range len(joined) {
		if c := joined[i]; c < ' ' || c > '~' {
			return ""
		}
	}
	return joined
}

// IsSampled reports whether the caller or this process records the trace.
func (c *Context) IsSampled() bool { return c.Flags&flagSampled != 0 }

// SetSampled sets or clears the flag that tells upstreams whether the trace is recorded.
func (c *Context) SetSampled(sampled bool) {
	c.Flags &^= flagSampled
	if sampled {
		c.Flags |= flagSampled
	}
}

// ParentFor returns the traceparent of a call that has the given span. If the span is zero, no span of
// ours exists and the upstream becomes a child of the client's span. The client's tracestate is not
// for upstreams: it can contain what systems of the client say to each other.
func (c *Context) ParentFor(span [8]byte) string {
	if span == [8]byte{} {
		span = c.Parent
	}
	const knownFlags = 3 // sampled, and random trace id
	b := make([]byte, 0, parentLength)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, c.TraceID[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, span[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, []byte{c.Flags & knownFlags})
	return string(b)
}

// Package redact removes sensitive data from captured content: keys and passwords, e-mail
// addresses, card and phone numbers, long runs of encoded data, the members of a body that
// name its end user or session, and matches of an operator's patterns. A Redactor works on the text that a reader sees: it decodes the
// strings of a JSON body and the escapes within a text. The package does not depend on
// accounts or records. Package api calls it before a record is written. Package
// upstreamerror uses its list of key prefixes.
package redact

import (
	"fmt"
	"regexp"
	"sync"
)

// These are the kinds of sensitive data, as they appear in the markers that replace it.
const (
	kindKey      = "key"
	kindPassword = "password"
	kindEmail    = "email"
	kindCard     = "card"
	kindPhone    = "phone"
	kindIdentity = "identity"
)

// lookahead is how far a text is scanned beyond the limit. A secret of up to this
// length that crosses the limit is found as a whole.
const lookahead = 4 << 10

// Pattern is an RE2 regular expression. Name is the kind that appears in the markers of
// its matches. The expression is applied to each text unchanged, and again after each
// layer of escapes is removed.
type Pattern struct {
	Name    string
	Pattern string
}

// Redactor replaces sensitive data by [redacted:<kind>]. It is safe for concurrent use.
type Redactor struct {
	patterns []pattern
	pool     sync.Pool
}

type pattern struct {
	name   string
	regexp *regexp.Regexp
}

// New creates a Redactor that applies the patterns in addition to the built-in
// rules. It fails if a pattern is not a valid regular expression.
func New(patterns []Pattern) (*Redactor, error) {
	r := &Redactor{}
	for _, p := range patterns {
		find, err := regexp.Compile(p.Pattern)
		if err != nil {
			return nil, fmt.Errorf("compile redaction pattern %s: %w", p.Name, err)
		}
		r.patterns = append(r.patterns, pattern{name: p.Name, regexp: find})
	}
	return r, nil
}

// Redact appends the redacted body to dst, at most limit bytes, and reports whether that
// is the whole body. JSON stays valid JSON unless it is cut. Text without sensitive data
// stays unchanged. Before Redact cuts a text, it also searches lookahead bytes beyond the
// limit. So a secret of up to that length leaves no part at the cut. The time is linear in
// the length of the body.
func (r *Redactor) Redact(dst, body []byte, limit int) (clean []byte, whole bool) {
	d := r.getRedaction()
	defer r.pool.Put(d)
	out, whole, isJSON := d.redactJSON(dst, body, limit)
	if !isJSON {
		var text []byte
		text, _, whole = d.redactText(body, classPlain, limit)
		out = append(dst, text...)
	}
	end := len(dst) + limit
	return out[:min(len(out), end)], whole && len(out) <= end
}

// RedactText returns a short text without its sensitive data. It does not treat JSON
// specially.
func (r *Redactor) RedactText(text string) string {
	d := r.getRedaction()
	defer r.pool.Put(d)
	clean, changed, _ := d.redactText([]byte(text), classPlain, len(text))
	if !changed {
		return text
	}
	return string(clean)
}

func (r *Redactor) getRedaction() *redaction {
	d, _ := r.pool.Get().(*redaction)
	if d == nil {
		d = &redaction{}
	}
	d.patterns = r.patterns
	return d
}

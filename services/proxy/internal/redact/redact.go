// Package redact removes sensitive data from captured content: keys and
// passwords, e-mail addresses, card and phone numbers, long runs of encoded data,
// and matches of an operator's patterns. A Redactor works on the text that a
// reader sees: it decodes the strings of a JSON body and resolves escapes within
// a text. The package does not know accounts or records. Package api calls it
// before anything is written.
package redact

import (
	"fmt"
	"regexp"
	"sync"
)

// Kinds of findings, as they appear in the markers that replace them.
const (
	kindKey      = "key"
	kindPassword = "password"
	kindEmail    = "email"
	kindCard     = "card"
	kindPhone    = "phone"
)

// lookahead is how far a text is scanned beyond the limit. A secret of up to this
// length that crosses the limit is found as a whole.
const lookahead = 4 << 10

// Pattern is an RE2 regular expression and the kind of its matches. It is applied
// to each text as it is written and with its escapes resolved.
type Pattern struct {
	Name    string
	Pattern string
}

// Redactor replaces findings by [redacted:<kind>]. It is safe for concurrent use.
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

// Redact appends the redacted body to dst, at most limit bytes, and reports
// whether that is the whole body. JSON stays JSON, and text without findings
// stays unchanged. A secret that crosses the limit is found before the text is
// cut, so that no part of it remains. The time is linear in the length of the
// body.
func (r *Redactor) Redact(dst, body []byte, limit int) (clean []byte, whole bool) {
	d := r.newRedaction()
	defer r.pool.Put(d)
	out, whole, isJSON := d.redactJSON(dst, body, limit)
	if !isJSON {
		var text []byte
		text, _, whole = d.redactText(body, classPlain, limit)
		out = append(dst, text...)
	}
	most := len(dst) + limit
	return out[:min(len(out), most)], whole && len(out) <= most
}

// RedactText returns a short text without sensitive data.
func (r *Redactor) RedactText(text string) string {
	d := r.newRedaction()
	defer r.pool.Put(d)
	clean, changed, _ := d.redactText([]byte(text), classPlain, len(text))
	if !changed {
		return text
	}
	return string(clean)
}

// newRedaction returns a redaction from the pool.
func (r *Redactor) newRedaction() *redaction {
	d, _ := r.pool.Get().(*redaction)
	if d == nil {
		d = &redaction{}
	}
	d.patterns = r.patterns
	return d
}

// Package redact takes out of content what somebody else must not read: keys
// and passwords, e-mail addresses, card and phone numbers, long runs of
// encoded data, and what an operator's patterns find. It works on the text
// that a reader sees: strings of a JSON body are decoded first, and escapes
// within the text are looked through. It knows neither accounts nor records;
// the edge calls it before anything is written.
package redact

import (
	"fmt"
	"regexp"
	"sync"
)

// The kinds of what is found, as they stand in the notes that replace it.
const (
	kindKey      = "key"
	kindPassword = "password"
	kindEmail    = "email"
	kindCard     = "card"
	kindPhone    = "phone"
)

// reach is how long a secret may be that lies across the end of what is kept
// and is still found as a whole.
const reach = 4 << 10

// Pattern is a regular expression of RE2 and the kind of what it finds. It is
// applied to each text on its own, as it is written and with its escapes
// resolved.
type Pattern struct {
	Name    string
	Pattern string
}

// Redactor replaces what it finds by [redacted:<kind>]. It is safe for
// concurrent use.
type Redactor struct {
	patterns []pattern
	drafts   sync.Pool
}

type pattern struct {
	name string
	find *regexp.Regexp
}

// New makes a redactor that finds what matches one of the patterns beside what
// it finds anyway. It fails if one is no regular expression.
func New(patterns []Pattern) (*Redactor, error) {
	r := &Redactor{}
	for _, p := range patterns {
		find, err := regexp.Compile(p.Pattern)
		if err != nil {
			return nil, fmt.Errorf("redact pattern %s: %w", p.Name, err)
		}
		r.patterns = append(r.patterns, pattern{name: p.Name, find: find})
	}
	return r, nil
}

// Redact appends to dst what may be kept of a body, at most limit bytes, and
// reports whether that is all of it. JSON stays JSON, and what has nothing to
// hide stays as it was written. What lies across the limit is found as a whole
// before it is cut, so that no piece of it is left. The time it takes grows
// with the body's length and no faster.
func (r *Redactor) Redact(dst, body []byte, limit int) (clean []byte, whole bool) {
	d := r.draft()
	defer r.drafts.Put(d)
	out, whole, isJSON := d.json(dst, body, limit)
	if !isJSON {
		var text []byte
		text, _, whole = d.clean(body, plain, limit)
		out = append(dst, text...)
	}
	most := len(dst) + limit
	return out[:min(len(out), most)], whole && len(out) <= most
}

// Text is a short text without what must not be kept.
func (r *Redactor) Text(text string) string {
	d := r.draft()
	defer r.drafts.Put(d)
	clean, changed, _ := d.clean([]byte(text), plain, len(text))
	if !changed {
		return text
	}
	return string(clean)
}

func (r *Redactor) draft() *draft {
	d, _ := r.drafts.Get().(*draft)
	if d == nil {
		d = &draft{}
	}
	d.patterns = r.patterns
	return d
}

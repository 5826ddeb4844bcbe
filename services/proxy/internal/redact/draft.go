package redact

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// draft is one redaction at work, with memory that is used again.
type draft struct {
	patterns []pattern
	scanner  jsonscan.Scanner
	// plain is a decoded string, short the same without long runs of data, out
	// what is left of it.
	plain, short, out []byte
	spans             []span
	views             [2]view
	// levels are what the objects and arrays that are open say of their values.
	levels []meant
	// steps is how much work was done.
	steps int
}

// span is a piece of a text that has to be hidden.
type span struct {
	from, to int
	kind     string
}

// clean returns a text without what must not be kept, as long as room allows
// and a little longer. changed tells whether it differs from the text, and
// whole whether its end was reached. It is valid until the next call.
func (d *draft) clean(text []byte, named meant, room int) (clean []byte, changed, whole bool) {
	if named.hides(text) {
		d.out = appendNote(d.out[:0], kindPassword)
		return d.out, true, true
	}
	text, changed = d.collapse(text)
	end := len(text)
	if whole = end <= room+reach; !whole {
		text, end = text[:room+reach], room
	}
	d.find(text, named)
	if len(d.spans) == 0 {
		return text[:end], changed, whole
	}
	d.out = emit(d.out[:0], text, d.spans, end)
	return d.out, true, whole
}

// emit appends a text with notes in place of its spans. Of what begins behind
// end nothing is appended, since it may lie across the end of what was looked
// at.
func emit(dst, text []byte, spans []span, end int) []byte {
	at := 0
	for _, s := range spans {
		if s.from >= end {
			break
		}
		dst = appendNote(append(dst, text[at:s.from]...), s.kind)
		at = s.to
	}
	if at < end {
		dst = append(dst, text[at:end]...)
	}
	return dst
}

func appendNote(dst []byte, kind string) []byte {
	return append(append(append(dst, "[redacted:"...), kind...), ']')
}

// deepest is how often a text may have been escaped. Each time costs another
// look at all of it, and a hostile text would have many.
const deepest = 6

// find collects the spans of a text, in order and apart: those seen in it as it
// is written, and with its escapes resolved, again and again until there is
// none.
func (d *draft) find(text []byte, named meant) {
	d.spans = d.spans[:0]
	d.look(text, named)
	before := view{text: text}
	for level := range deepest {
		now := &d.views[level%2]
		if !now.resolve(before) {
			break
		}
		known := len(d.spans)
		d.look(now.text, named)
		for i := known; i < len(d.spans); i++ {
			d.spans[i].from, d.spans[i].to = now.source(d.spans[i].from), now.source(d.spans[i].to)
		}
		before = *now
	}
	d.spans = disjoint(d.spans)
}

func (d *draft) look(text []byte, named meant) {
	f := finder{text: text, named: named, spans: d.spans}
	f.run()
	d.steps += f.steps
	for _, p := range d.patterns {
		for _, at := range p.find.FindAllIndex(text, -1) {
			f.add(at[0], at[1], p.name)
		}
	}
	d.spans = f.spans
}

// disjoint sorts spans and joins those that overlap; the first gives its kind.
func disjoint(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	kept := spans[:0]
	for _, s := range spans {
		if last := len(kept) - 1; last >= 0 && s.from < kept[last].to {
			kept[last].to = max(kept[last].to, s.to)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

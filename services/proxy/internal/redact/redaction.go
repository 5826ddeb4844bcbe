package redact

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// redaction is the state of one running redaction. Its buffers are reused.
type redaction struct {
	patterns []pattern
	scanner  jsonscan.Scanner
	// unquoted is the buffer for an unquoted string.
	unquoted []byte
	// collapsed is the buffer for a text without long runs of data.
	collapsed []byte
	// out is the buffer for the result.
	out   []byte
	spans []span
	views [2]view
	// nesting holds the class of values for each open object and array.
	nesting []nameClass
	// steps is the sum of finder.steps, for tests.
	steps int
}

// span is a part of a text to redact.
type span struct {
	from, to int
	kind     string
}

// redactText returns the text without its sensitive data. A text longer than limit plus
// lookahead bytes is cut to limit bytes before markers are inserted. changed reports
// whether anything was redacted. whole reports whether the result includes the end of the
// text. The result is valid until the next call.
func (d *redaction) redactText(text []byte, named nameClass, limit int) (clean []byte, changed, whole bool) {
	if named.hidesValue(text) {
		d.out = appendMarker(d.out[:0], named.markerKind())
		return d.out, true, true
	}
	text, changed = d.collapseData(text)
	end := len(text)
	if whole = end <= limit+lookahead; !whole {
		text, end = text[:limit+lookahead], limit
	}
	d.findSpans(text, named)
	if len(d.spans) == 0 {
		return text[:end], changed, whole
	}
	d.out = appendRedacted(d.out[:0], text, d.spans, end)
	return d.out, true, whole
}

// appendRedacted appends the text up to offset end, with markers in place of its spans. It
// skips spans that begin at or after that offset.
func appendRedacted(dst, text []byte, spans []span, end int) []byte {
	at := 0
	for _, s := range spans {
		if s.from >= end {
			break
		}
		dst = appendMarker(append(dst, text[at:s.from]...), s.kind)
		at = s.to
	}
	if at < end {
		dst = append(dst, text[at:end]...)
	}
	return dst
}

func appendMarker(dst []byte, kind string) []byte {
	return append(append(append(dst, "[redacted:"...), kind...), ']')
}

// maxEscapeLevels limits how many layers of escapes are removed. Each layer costs
// another scan, and a hostile text could have many.
const maxEscapeLevels = 6

// findSpans collects the spans of a text, sorted and without overlaps. It scans the text
// unchanged, and again after each layer of escapes is removed.
func (d *redaction) findSpans(text []byte, named nameClass) {
	d.spans = d.spans[:0]
	d.scanText(text, named)
	before := view{text: text}
	for level := range maxEscapeLevels {
		now := &d.views[level%2]
		if !now.unescape(before) {
			break
		}
		known := len(d.spans)
		d.scanText(now.text, named)
		for i := known; i < len(d.spans); i++ {
			d.spans[i].from, d.spans[i].to = now.sourceOffset(d.spans[i].from), now.sourceOffset(d.spans[i].to)
		}
		before = *now
	}
	d.spans = mergeSpans(d.spans)
}

func (d *redaction) scanText(text []byte, named nameClass) {
	f := finder{text: text, class: named, spans: d.spans}
	f.scan()
	d.steps += f.steps
	for _, p := range d.patterns {
		for _, at := range p.regexp.FindAllIndex(text, -1) {
			f.addSpan(at[0], at[1], p.name)
		}
	}
	d.spans = f.spans
}

// mergeSpans sorts spans and merges overlapping spans. A merged span has the kind of the
// span that begins first.
func mergeSpans(spans []span) []span {
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

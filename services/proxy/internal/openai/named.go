package openai

import "bytes"

// called takes a line that names an event: this one, or the next one where
// the blank line between them is missing.
func (e *Events) called(line []byte) {
	name, ok := bytes.CutPrefix(line, []byte("event:"))
	if !ok {
		return
	}
	name = bytes.TrimSpace(name)
	if len(e.data) == 0 {
		e.name = append(e.name[:0], name...)
		return
	}
	e.nextName = append(e.nextName[:0], name...)
}

// belated takes a name that came behind the data of an event, which turned out
// to be its own.
func (e *Events) belated() {
	if len(e.nextName) > 0 {
		e.name, e.nextName = e.nextName, e.name[:0]
	}
}

// Name is what the upstream calls the event that Next returned last, empty if
// nothing. It is valid until the next call of Next.
func (e *Events) Name() []byte { return e.name }

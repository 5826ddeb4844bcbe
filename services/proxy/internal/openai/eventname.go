package openai

import "bytes"

// noteEventName handles an event: line. After the data of an event it names the
// next event, in case the blank line between them is missing.
func (e *EventReader) noteEventName(line []byte) {
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

// applyLateName is called at the blank line. A name that came after the data
// belongs to the event itself.
func (e *EventReader) applyLateName() {
	if len(e.nextName) > 0 {
		e.name, e.nextName = e.nextName, e.name[:0]
	}
}

// Name returns the event: name of the event that Next returned last, or an empty
// slice. It is valid until the next call of Next.
func (e *EventReader) Name() []byte { return e.name }

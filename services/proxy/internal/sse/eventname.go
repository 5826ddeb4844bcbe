package sse

import "bytes"

// noteEventName handles an "event:" line. The line may come after the data of an event.
// Then it is not yet known to which event the name belongs, so the name is stored in
// nextName. If no blank line precedes the next data, the name belongs to the next event.
func (e *Reader) noteEventName(line []byte) {
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

// applyLateName is called at the blank line that ends an event. A name in nextName came
// before this blank line, so it belongs to this event.
func (e *Reader) applyLateName() {
	if len(e.nextName) > 0 {
		e.name, e.nextName = e.nextName, e.name[:0]
	}
}

// Name returns the name of the event that Next returned last. It is empty if the
// event has no name, and valid until the next call of Next.
func (e *Reader) Name() []byte { return e.name }

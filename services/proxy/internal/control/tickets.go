package control

import "github.com/signalbox/signalbox/pkg/decidewire"

// directBytes is up to how much of open questions one more is sent by its asker
// itself, which saves waking another goroutine. So little a stream takes in even
// if the router hangs, so that the asker does not wait.
const directBytes = 128 << 10

// aroundTexts is about what a question takes beside the texts that others
// choose, and aroundText what one of these does.
const aroundTexts, aroundText = 512, 8

// weight is about how many bytes a question is on its way.
func weight(q *decidewire.Question) int {
	n := aroundTexts + len(q.Model) + len(q.Excerpt)
	for _, texts := range [][]string{q.Asker.Tags, q.Asker.Models} {
		for _, text := range texts {
			n += aroundText + len(text)
		}
	}
	for name, text := range q.Metadata {
		n += 2*aroundText + len(name) + len(text)
	}
	return n
}

// ticket is an open question.
type ticket struct {
	id     uint64
	bytes  int
	answer chan *decidewire.Answer
	// stream is set if the asker may send by itself.
	stream DecideStream
}

func (d *decisions) enter(bytes int) (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stream == nil {
		return ticket{}, errAway
	}
	d.last++
	d.under += bytes
	t := ticket{id: d.last, bytes: bytes, answer: make(chan *decidewire.Answer, 1)}
	if d.under <= directBytes {
		t.stream = d.stream
	}
	d.waiting[t.id] = t
	return t, nil
}

func (d *decisions) leave(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove(id)
}

// remove takes a question off the list and returns it, if it was there.
func (d *decisions) remove(id uint64) (ticket, bool) {
	t, ok := d.waiting[id]
	delete(d.waiting, id)
	d.under -= t.bytes
	return t, ok
}

func (d *decisions) isUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stream != nil
}

func (d *decisions) begin(stream DecideStream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = stream
}

// end tells everybody who still waits that no answer will come.
func (d *decisions) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = nil
	for id := range d.waiting {
		t, _ := d.remove(id)
		close(t.answer)
	}
	for len(d.questions) > 0 { // which nobody wants answered any more
		<-d.questions
	}
}

// deliver hands an answer over. If its asker has left, nobody takes it.
func (d *decisions) deliver(a *decidewire.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.remove(a.ID); ok {
		t.answer <- a
	}
}

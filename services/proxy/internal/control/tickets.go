package control

import "github.com/signalbox/signalbox/pkg/decidewire"

// directBytes is the total size of pending questions up to which callers send their questions
// directly, without another goroutine. A stream buffers this many bytes even if the router
// hangs, so the caller does not block. Further questions go through the queue.
const directBytes = 128 << 10

const (
	// baseOverhead is the approximate size of a question without its strings.
	baseOverhead = 512
	// textOverhead is the encoding overhead of each string.
	textOverhead = 8
)

// estimateSize returns the approximate encoded size of a question in bytes.
func estimateSize(q *decidewire.Question) int {
	n := baseOverhead + len(q.Model) + len(q.Excerpt)
	for _, texts := range [][]string{q.Caller.Tags, q.Caller.Models} {
		for _, text := range texts {
			n += textOverhead + len(text)
		}
	}
	for name, text := range q.Metadata {
		n += 2*textOverhead + len(name) + len(text)
	}
	return n
}

// ticket is a question that waits for its response.
type ticket struct {
	id       uint64
	bytes    int
	response chan *decidewire.Answer
	// stream is set if the caller may send the question directly.
	stream DecideStream
}

func (d *decisionClient) addTicket(bytes int) (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stream == nil {
		return ticket{}, errUnavailable
	}
	d.lastID++
	d.pendingBytes += bytes
	t := ticket{id: d.lastID, bytes: bytes, response: make(chan *decidewire.Answer, 1)}
	if d.pendingBytes <= directBytes {
		t.stream = d.stream
	}
	d.waiting[t.id] = t
	return t, nil
}

func (d *decisionClient) dropTicket(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removeTicket(id)
}

// removeTicket removes a question and returns it, if it was pending.
func (d *decisionClient) removeTicket(id uint64) (ticket, bool) {
	t, ok := d.waiting[id]
	delete(d.waiting, id)
	d.pendingBytes -= t.bytes
	return t, ok
}

func (d *decisionClient) isUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stream != nil
}

func (d *decisionClient) connect(stream DecideStream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = stream
}

// disconnect closes the response channels of all pending questions, because no response will
// arrive.
func (d *decisionClient) disconnect() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = nil
	for id := range d.waiting {
		t, _ := d.removeTicket(id)
		close(t.response)
	}
	for len(d.questions) > 0 { // their callers have stopped waiting
		<-d.questions
	}
}

// deliver passes a response to its caller. The channel of the ticket is buffered, so deliver
// never blocks.
func (d *decisionClient) deliver(a *decidewire.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.removeTicket(a.ID); ok {
		t.response <- a
	}
}

package control

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/decidepb"
)

// directBytes limits direct sends. While the pending questions have at most this many bytes in
// total, each caller sends its question itself, without another goroutine. A stream buffers several
// times as many bytes even if the router hangs, so the caller does not block, although the ids and
// the headers of gRPC are not counted. Further questions go through the queue.
const directBytes = 128 << 10

// ticket is a question that waits for its response.
type ticket struct {
	id       uint64
	bytes    int
	response chan decidepb.StreamResponse
	// stream is set if the caller may send the question directly.
	stream decideStream
}

// waiter waits for one response at a time.
type waiter struct {
	response chan decidepb.StreamResponse
	timeout  *time.Timer
}

func newWaiter() any {
	w := &waiter{response: make(chan decidepb.StreamResponse, 1), timeout: time.NewTimer(time.Hour)}
	w.timeout.Stop()
	return w
}

// wait returns the response, or an error when ctx ends, the budget expires or the stream ends. The
// timer is stopped when it returns, because the next user of the waiter sets it again.
func (w *waiter) wait(ctx context.Context, budget time.Duration) (r decidepb.StreamResponse, err error) {
	w.timeout.Reset(budget)
	defer w.timeout.Stop()
	select {
	case r, ok := <-w.response:
		if !ok {
			return r, errUnavailable
		}
		return r, nil
	case <-w.timeout.C:
		return r, context.DeadlineExceeded
	case <-ctx.Done():
		return r, ctx.Err()
	}
}

// addTicket adds a question of a length to the pending questions. The waiter gets the response.
func (d *decisionClient) addTicket(bytes int, w *waiter) (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stream == nil {
		return ticket{}, errUnavailable
	}
	d.lastID++
	d.pendingBytes += bytes
	t := ticket{id: d.lastID, bytes: bytes, response: w.response}
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

func (d *decisionClient) connect(stream decideStream) {
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
func (d *decisionClient) deliver(r decidepb.StreamResponse) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.removeTicket(r.ID); ok {
		t.response <- r
	}
}

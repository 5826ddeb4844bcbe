package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// questionsBound is how many questions may wait to be sent; more mean that the
// router hangs, and then the proxy decides itself.
const questionsBound = 1024

// directBound is up to how many open questions one more is sent by its asker
// itself, which saves waking another goroutine. So few fit into the buffers of
// the connection even if the router hangs, so that the asker does not wait.
const directBound = 16

var errAway = errors.New("the router cannot be asked")

// decisions asks the router over one long-lived stream, which costs less than
// half of a call each. Answers find their questions by id.
type decisions struct {
	client    routerv1.RouterServiceClient
	log       *slog.Logger
	questions chan *routerv1.DecideStreamRequest

	// sending is held by whoever sends.
	sending sync.Mutex

	mu      sync.Mutex
	stream  routerv1.RouterService_DecideStreamClient // nil while there is none
	last    uint64
	waiting map[uint64]chan *routerv1.DecideStreamResponse
}

func newDecisions(client routerv1.RouterServiceClient, log *slog.Logger) *decisions {
	return &decisions{
		client: client, log: log, questions: make(chan *routerv1.DecideStreamRequest, questionsBound),
		waiting: map[uint64]chan *routerv1.DecideStreamResponse{},
	}
}

// ask waits for the answer until ctx ends. A refusal is an *apperr.Error; any
// other error means that the router is away.
func (d *decisions) ask(ctx context.Context, q *routerv1.DecideRequest) (*routerv1.Decision, error) {
	t, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.leave(t.id)
	if err := d.put(t, &routerv1.DecideStreamRequest{Id: t.id, Request: q}); err != nil {
		return nil, err
	}
	select {
	case a, ok := <-t.answer:
		if !ok {
			return nil, errAway
		}
		if r := a.GetRefusal(); r != nil {
			return nil, refused(r)
		}
		return a.GetResponse().GetDecision(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ticket is an open question.
type ticket struct {
	id     uint64
	answer chan *routerv1.DecideStreamResponse
	// stream is set if the asker may send by itself.
	stream routerv1.RouterService_DecideStreamClient
}

func (d *decisions) enter() (ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stream == nil {
		return ticket{}, errAway
	}
	d.last++
	t := ticket{id: d.last, answer: make(chan *routerv1.DecideStreamResponse, 1)}
	d.waiting[t.id] = t.answer
	if len(d.waiting) <= directBound {
		t.stream = d.stream
	}
	return t, nil
}

// put sends a question, or has it sent.
func (d *decisions) put(t ticket, q *routerv1.DecideStreamRequest) error {
	if t.stream != nil && d.sending.TryLock() {
		defer d.sending.Unlock()
		return t.stream.Send(q)
	}
	select {
	case d.questions <- q:
		return nil
	default:
		return errAway
	}
}

func (d *decisions) leave(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, id)
}

// follow keeps the stream open until ctx ends.
func (d *decisions) follow(ctx context.Context) { follow(ctx, d.log, "decisions", d.run) }

func (d *decisions) run(ctx context.Context, up func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.client.DecideStream(ctx)
	if err != nil {
		return err
	}
	d.begin(stream)
	defer d.end()
	up()
	sent := make(chan error, 1)
	go func() { sent <- d.send(ctx, stream) }()
	// The sender must have left the stream before it is opened anew.
	defer func() {
		cancel()
		<-sent
	}()
	for {
		answer, err := stream.Recv()
		if err != nil {
			return err
		}
		d.deliver(answer)
	}
}

func (d *decisions) send(ctx context.Context, stream routerv1.RouterService_DecideStreamClient) error {
	for {
		select {
		case q := <-d.questions:
			if err := d.locked(func() error { return stream.Send(q) }); err != nil {
				return err
			}
		case <-ctx.Done():
			return d.locked(stream.CloseSend)
		}
	}
}

func (d *decisions) locked(send func() error) error {
	d.sending.Lock()
	defer d.sending.Unlock()
	return send()
}

func (d *decisions) isUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stream != nil
}

func (d *decisions) begin(stream routerv1.RouterService_DecideStreamClient) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = stream
}

// end tells everybody who still waits that no answer will come.
func (d *decisions) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stream = nil
	for id, answer := range d.waiting {
		close(answer)
		delete(d.waiting, id)
	}
}

// deliver drops an answer whose asker has left.
func (d *decisions) deliver(a *routerv1.DecideStreamResponse) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if answer, ok := d.waiting[a.GetId()]; ok {
		answer <- a
		delete(d.waiting, a.GetId())
	}
}

// refused rebuilds the router's verdict on a request.
func refused(r *routerv1.Refusal) error {
	e := apperr.New(apperr.Code(r.GetCode()), r.GetMessage())
	if !e.Code.Known() {
		return errors.New("the router refused with an unknown code")
	}
	_ = json.Unmarshal([]byte(r.GetDetailsJson()), &e.Details)
	return e
}

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

var errAway = errors.New("the router cannot be asked")

// decisions asks the router over one long-lived stream, which costs less than
// half of a call each. Answers find their questions by id.
type decisions struct {
	client    routerv1.RouterServiceClient
	log       *slog.Logger
	questions chan *routerv1.DecideStreamRequest

	mu      sync.Mutex
	up      bool
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
	id, answer, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.leave(id)
	select {
	case d.questions <- &routerv1.DecideStreamRequest{Id: id, Request: q}:
	default:
		return nil, errAway
	}
	select {
	case a, ok := <-answer:
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

func (d *decisions) enter() (uint64, chan *routerv1.DecideStreamResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.up {
		return 0, nil, errAway
	}
	d.last++
	answer := make(chan *routerv1.DecideStreamResponse, 1)
	d.waiting[d.last] = answer
	return d.last, answer, nil
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
	d.begin()
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
			if err := stream.Send(q); err != nil {
				return err
			}
		case <-ctx.Done():
			return stream.CloseSend()
		}
	}
}

func (d *decisions) isUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.up
}

func (d *decisions) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.up = true
}

// end tells everybody who still waits that no answer will come.
func (d *decisions) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.up = false
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

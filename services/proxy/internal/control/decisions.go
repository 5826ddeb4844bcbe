package control

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// questionsBound is how many questions may wait to be sent; more mean that the
// router hangs, and then the proxy decides itself.
const questionsBound = 1024

var errAway = errors.New("the router cannot be asked")

// DecideStream is a stream of questions and answers, as gRPC has it.
type DecideStream interface {
	SendMsg(m any) error
	RecvMsg(m any) error
	CloseSend() error
}

// OpenDecide begins a stream, which ends with ctx.
type OpenDecide func(ctx context.Context) (DecideStream, error)

// OverGRPC opens streams of a client.
func OverGRPC(client routerv1.RouterServiceClient) OpenDecide {
	return func(ctx context.Context) (DecideStream, error) {
		return client.DecideStream(ctx, grpc.ForceCodecV2(rpc.Codec()))
	}
}

// decisions asks the router over one long-lived stream, which costs less than
// half of a call each. Answers find their questions by id.
type decisions struct {
	open      OpenDecide
	log       *slog.Logger
	questions chan *decidewire.Question

	// sending is held by whoever sends.
	sending sync.Mutex

	mu      sync.Mutex
	stream  DecideStream // nil while there is none
	last    uint64
	waiting map[uint64]ticket
	// under is the bytes of the questions that are under way.
	under int
}

func newDecisions(open OpenDecide, log *slog.Logger) *decisions {
	return &decisions{
		open: open, log: log, questions: make(chan *decidewire.Question, questionsBound),
		waiting: map[uint64]ticket{},
	}
}

// ask waits for the answer until ctx ends, or for the budget, which ends like a
// deadline. A refusal is an *apperr.Error; any other error means that the
// router is away. Who stops waiting leaves the question behind: it takes its
// place on the way to the router until that has answered it.
func (d *decisions) ask(ctx context.Context, q *decidewire.Question, budget time.Duration) (*decide.Decision, error) {
	t, err := d.enter(weight(q))
	if err != nil {
		return nil, err
	}
	q.ID = t.id
	if err := d.put(t, q); err != nil {
		d.leave(t.id)
		return nil, err
	}
	enough := time.NewTimer(budget)
	defer enough.Stop()
	select {
	case a, ok := <-t.answer:
		if !ok {
			return nil, errAway
		}
		return &a.Decision, a.Refusal
	case <-enough.C:
		return nil, context.DeadlineExceeded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put sends a question, or has it sent.
func (d *decisions) put(t ticket, q *decidewire.Question) error {
	if t.stream != nil && d.sending.TryLock() {
		defer d.sending.Unlock()
		return t.stream.SendMsg(q)
	}
	select {
	case d.questions <- q:
		return nil
	default:
		return errAway
	}
}

// follow keeps the stream open until ctx ends.
func (d *decisions) follow(ctx context.Context) { follow(ctx, d.log, "decisions", d.run) }

func (d *decisions) run(ctx context.Context, up func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.open(ctx)
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
		a := &decidewire.Answer{}
		if err := stream.RecvMsg(a); err != nil {
			return err
		}
		d.deliver(a)
	}
}

func (d *decisions) send(ctx context.Context, stream DecideStream) error {
	for {
		select {
		case q := <-d.questions:
			if err := d.locked(func() error { return stream.SendMsg(q) }); err != nil {
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

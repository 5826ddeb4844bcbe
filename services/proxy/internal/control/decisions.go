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

// maxQuestions is how many questions may wait to be sent. If more would wait, the router
// probably hangs, and the proxy decides itself.
const maxQuestions = 1024

var errUnavailable = errors.New("the router is unavailable")

// DecideStream is a stream of routing questions and decisions.
type DecideStream interface {
	SendMsg(m any) error
	RecvMsg(m any) error
	CloseSend() error
}

// OpenDecide opens a stream. The stream ends when ctx ends.
type OpenDecide func(ctx context.Context) (DecideStream, error)

// OverGRPC returns an OpenDecide for a gRPC client.
func OverGRPC(client routerv1.RouterServiceClient) OpenDecide {
	return func(ctx context.Context) (DecideStream, error) {
		return client.DecideStream(ctx, grpc.ForceCodecV2(rpc.Codec()))
	}
}

// decisionClient sends questions to the router over one long-lived stream. That costs less than
// half as much as one call per question. Responses are matched to questions by id.
type decisionClient struct {
	open      OpenDecide
	log       *slog.Logger
	questions chan *decidewire.Question

	// sending serializes writes to the stream.
	sending sync.Mutex

	mu      sync.Mutex
	stream  DecideStream // nil while disconnected
	lastID  uint64
	waiting map[uint64]ticket
	// pendingBytes is the size of all questions without a response.
	pendingBytes int
}

func newDecisions(open OpenDecide, log *slog.Logger) *decisionClient {
	return &decisionClient{
		open: open, log: log, questions: make(chan *decidewire.Question, maxQuestions),
		waiting: map[uint64]ticket{},
	}
}

// requestDecision waits for the response until ctx ends or the budget expires. Then it returns
// the error of ctx or DeadlineExceeded. A rejection by the router is an *apperr.Error. Any other
// error means that the router is unavailable. After a timeout, the question counts as pending
// until its response arrives.
func (d *decisionClient) requestDecision(ctx context.Context, q *decidewire.Question, budget time.Duration) (*decide.Decision, error) {
	t, err := d.addTicket(estimateSize(q))
	if err != nil {
		return nil, err
	}
	q.ID = t.id
	if err := d.sendOrQueue(t, q); err != nil {
		d.dropTicket(t.id)
		return nil, err
	}
	timeout := time.NewTimer(budget)
	defer timeout.Stop()
	select {
	case a, ok := <-t.response:
		if !ok {
			return nil, errUnavailable
		}
		return &a.Decision, a.Refusal
	case <-timeout.C:
		return nil, context.DeadlineExceeded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sendOrQueue sends a question directly, or queues it for the sender goroutine.
func (d *decisionClient) sendOrQueue(t ticket, q *decidewire.Question) error {
	if t.stream != nil && d.sending.TryLock() {
		defer d.sending.Unlock()
		return t.stream.SendMsg(q)
	}
	select {
	case d.questions <- q:
		return nil
	default:
		return errUnavailable
	}
}

// follow keeps the stream open until ctx ends.
func (d *decisionClient) follow(ctx context.Context) { follow(ctx, d.log, "decisions", d.runStream) }

func (d *decisionClient) runStream(ctx context.Context, up func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.open(ctx)
	if err != nil {
		return err
	}
	d.connect(stream)
	defer d.disconnect()
	up()
	sent := make(chan error, 1)
	go func() { sent <- d.sendQueued(ctx, stream) }()
	// The sender must stop using the stream before the next one is opened.
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

func (d *decisionClient) sendQueued(ctx context.Context, stream DecideStream) error {
	for {
		select {
		case q := <-d.questions:
			if err := d.withSendLock(func() error { return stream.SendMsg(q) }); err != nil {
				return err
			}
		case <-ctx.Done():
			return d.withSendLock(stream.CloseSend)
		}
	}
}

func (d *decisionClient) withSendLock(send func() error) error {
	d.sending.Lock()
	defer d.sending.Unlock()
	return send()
}

package control

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// maxQuestions is how many questions may wait to be sent. If more would wait, the router
// probably hangs, and the proxy decides itself.
const maxQuestions = 1024

var errUnavailable = errors.New("the router is unavailable")

type decideStream = grpc.BidiStreamingClient[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]

// decisionClient sends questions to the router over one long-lived stream. That costs less than
// half as much as one call per question. Responses are matched to questions by id.
type decisionClient struct {
	client    routerv1.RouterServiceClient
	log       *slog.Logger
	questions chan question
	// waiters reuses the waiters that have received their response.
	waiters sync.Pool

	// sending serializes writes to the stream.
	sending sync.Mutex

	mu      sync.Mutex
	stream  decideStream // nil while disconnected
	lastID  uint64
	waiting map[uint64]ticket
	// pendingBytes is the size of all questions without a response.
	pendingBytes int
}

func newDecisionClient(client routerv1.RouterServiceClient, log *slog.Logger) *decisionClient {
	return &decisionClient{
		client: client, log: log, questions: make(chan question, maxQuestions),
		waiters: sync.Pool{New: newWaiter}, waiting: map[uint64]ticket{},
	}
}

// requestDecision waits for the response until ctx ends or the budget expires. If the budget
// expires, it returns DeadlineExceeded. If the router rejects the request, it returns an
// *apperr.Error, and a decision without a plan if the router sent one. Any other error means
// that the router is unavailable. After a timeout, the question counts as pending until its
// response arrives.
func (d *decisionClient) requestDecision(ctx context.Context, q question, budget time.Duration) (*decide.Decision, error) {
	if q.encoded == nil {
		return nil, errUnavailable
	}
	w := d.waiters.Get().(*waiter) //nolint:forcetypeassert // the pool holds nothing else
	t, err := d.addTicket(len(*q.encoded), w)
	if err != nil {
		return nil, err
	}
	q.setID(t.id)
	if err := d.sendOrQueue(t, q); err != nil {
		d.dropTicket(t.id)
		return nil, err
	}
	r, err := w.wait(ctx, budget)
	if err != nil {
		return nil, err
	}
	d.waiters.Put(w) // the ticket is removed, so no other response can arrive
	return r.Decision, r.Refusal
}

// sendOrQueue sends a question directly, or queues it for the sender goroutine.
func (d *decisionClient) sendOrQueue(t ticket, q question) error {
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
	stream, err := d.client.DecideStream(ctx, grpc.ForceCodecV2(streamCodec{}))
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
	for r := (decidepb.StreamResponse{}); ; {
		if err := stream.RecvMsg(&r); err != nil {
			return err
		}
		d.deliver(r)
	}
}

func (d *decisionClient) sendQueued(ctx context.Context, stream decideStream) error {
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

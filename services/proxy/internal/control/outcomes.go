package control

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const (
	// outcomesBound is how many outcomes may wait for the router; more are
	// dropped, as they are advice and no record.
	outcomesBound = 4096
	outcomesBatch = 512
	// outcomesEvery is how long outcomes gather: health is judged over seconds,
	// and a message for each would cost more than the request's own decision.
	outcomesEvery = 50 * time.Millisecond
	// outcomesFresh is how long an outcome says how a target is: one that waited
	// longer for a router to come back would be taken for news.
	outcomesFresh = 5 * time.Second
)

// Outcomes tells the router what became of attempts.
type Outcomes struct {
	client routerv1.RouterServiceClient
	proxy  string
	log    *slog.Logger
	queue  chan queued
}

// queued is an outcome that waits, and since when. It is a value, which becomes
// a message only when it is sent: a request has better things to do.
type queued struct {
	target decide.Target
	code   string
	// ended is when the attempt ended, after it had taken so long.
	ended                time.Time
	firstToken, duration time.Duration
	since                time.Time
}

// NewOutcomes wraps the client; proxy names this process.
func NewOutcomes(client routerv1.RouterServiceClient, proxy string, log *slog.Logger) *Outcomes {
	return &Outcomes{client: client, proxy: proxy, log: log, queue: make(chan queued, outcomesBound)}
}

// Report queues the attempts of a record that were made. It never waits.
func (o *Outcomes) Report(r *ledger.Record) {
	now := time.Now()
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if !a.Called() {
			continue
		}
		select {
		case o.queue <- outcome(r.Time, a, now):
		default:
			return
		}
	}
}

func outcome(began time.Time, a *ledger.Attempt, now time.Time) queued {
	out := queued{target: a.Target, code: a.Code, ended: began.Add(a.Ended), duration: a.Ended - a.Started, since: now}
	if a.FirstToken > 0 {
		out.firstToken = a.FirstToken - a.Started
	}
	return out
}

func (q *queued) message() *routerv1.TargetOutcome {
	return &routerv1.TargetOutcome{
		Target:       toTarget(q.target),
		Code:         q.code,
		Time:         timestamppb.New(q.ended),
		LatencyUs:    q.duration.Microseconds(),
		FirstTokenUs: q.firstToken.Microseconds(),
	}
}

// Follow sends reports until ctx ends.
func (o *Outcomes) Follow(ctx context.Context) {
	follow(ctx, o.log, "outcomes", o.send)
}

func (o *Outcomes) send(ctx context.Context, up func()) error {
	stream, err := o.client.ReportOutcomes(ctx)
	if err != nil {
		return err
	}
	up()
	for {
		batch, err := o.next(ctx)
		if err != nil {
			_, _ = stream.CloseAndRecv()
			return err
		}
		if err := stream.Send(&routerv1.ReportOutcomesRequest{Proxy: o.proxy, Outcomes: batch}); err != nil {
			return err
		}
	}
}

// next waits for an outcome, and then a moment for more. Meanwhile nobody listens:
// or every request would wake this goroutine.
func (o *Outcomes) next(ctx context.Context) ([]*routerv1.TargetOutcome, error) {
	var batch []*routerv1.TargetOutcome
	for len(batch) == 0 {
		select {
		case one := <-o.queue:
			batch = one.join(batch)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if len(o.queue) < outcomesBatch-1 {
		select {
		case <-time.After(outcomesEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for len(batch) < outcomesBatch {
		select {
		case one := <-o.queue:
			batch = one.join(batch)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// join adds an outcome that is still news.
func (q *queued) join(batch []*routerv1.TargetOutcome) []*routerv1.TargetOutcome {
	if time.Since(q.since) > outcomesFresh {
		return batch
	}
	return append(batch, q.message())
}

package control

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const (
	// maxOutcomes is how many outcomes may wait for the router. Further outcomes are dropped.
	// The router then knows less about the health of candidates, but the records have them.
	maxOutcomes = 4096
	maxBatch    = 512
	// batchInterval is how long outcomes are collected before they are sent. It is short
	// compared with the seconds over which the router measures health. One message per outcome
	// would cost more than the request's decision.
	batchInterval = 50 * time.Millisecond
	// maxOutcomeAge is how long an outcome describes the candidate's health. An outcome that
	// waited longer for the router would be misleading.
	maxOutcomeAge = 5 * time.Second
)

// Outcomes reports the results of attempts to the router.
type Outcomes struct {
	client routerv1.RouterServiceClient
	proxy  string
	log    *slog.Logger
	queue  chan queuedOutcome
	// credentials lists the provider credentials of the proxy. Nil reports none.
	credentials func() []Credential
}

// queuedOutcome is an outcome in the queue. It is converted to a protobuf message only when it
// is sent, to save work on the request path.
type queuedOutcome struct {
	candidate decide.Candidate
	code      string
	// ended is when the attempt ended.
	ended                time.Time
	firstToken, duration time.Duration
	queuedAt             time.Time
}

// NewOutcomes returns an Outcomes that uses the client. The parameter proxy identifies this
// process. It also reports the state of the credentials, unless credentials is nil.
func NewOutcomes(client routerv1.RouterServiceClient, proxy string, credentials func() []Credential, log *slog.Logger) *Outcomes {
	return &Outcomes{client: client, proxy: proxy, credentials: credentials, log: log, queue: make(chan queuedOutcome, maxOutcomes)}
}

// Report queues an outcome for every attempt of a record that called an upstream and shows
// something about its health. It never blocks. If the queue is full, it drops the outcomes.
func (o *Outcomes) Report(r *ledger.Record) {
	now := time.Now()
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if !a.WasCalled() || a.Inconclusive {
			continue
		}
		select {
		case o.queue <- newQueuedOutcome(r.Time, a, now):
		default:
			return
		}
	}
}

func newQueuedOutcome(began time.Time, a *ledger.Attempt, now time.Time) queuedOutcome {
	out := queuedOutcome{candidate: a.Candidate.Endpoint(), code: a.Code, ended: began.Add(a.Ended), duration: a.Ended - a.Started, queuedAt: now}
	if a.FirstToken > 0 {
		out.firstToken = a.FirstToken - a.Started
	}
	return out
}

func (q *queuedOutcome) toProto() *routerv1.CandidateOutcome {
	return &routerv1.CandidateOutcome{
		Candidate:    decidepb.FromCandidate(q.candidate),
		Code:         q.code,
		Time:         timestamppb.New(q.ended),
		LatencyUs:    q.duration.Microseconds(),
		FirstTokenUs: q.firstToken.Microseconds(),
	}
}

// Follow sends the queued outcomes until ctx ends.
func (o *Outcomes) Follow(ctx context.Context) {
	follow(ctx, o.log, "outcomes", o.sendBatches)
}

func (o *Outcomes) sendBatches(ctx context.Context, up func()) error {
	stream, err := o.client.ReportOutcomes(ctx)
	if err != nil {
		return err
	}
	up()
	credentials := credentialReporter{list: o.credentials}
	check := time.NewTicker(credentialsInterval)
	defer check.Stop()
	for {
		r := &routerv1.ReportOutcomesRequest{Proxy: o.proxy, Credentials: credentials.next(time.Now())}
		if r.Credentials == nil {
			if r.Outcomes, err = o.nextBatch(ctx, check.C); err != nil {
				_, _ = stream.CloseAndRecv()
				return err
			}
		}
		if r.Credentials == nil && len(r.Outcomes) == 0 {
			continue
		}
		if err := stream.Send(r); err != nil {
			return err
		}
	}
}

// nextBatch waits for an outcome and then for batchInterval, unless a full batch already waits. It
// does not read the queue during the interval. Otherwise every request would wake this goroutine.
// Without an outcome, it returns an empty batch at the next tick.
func (o *Outcomes) nextBatch(ctx context.Context, tick <-chan time.Time) ([]*routerv1.CandidateOutcome, error) {
	var batch []*routerv1.CandidateOutcome
	for len(batch) == 0 {
		select {
		case outcome := <-o.queue:
			batch = outcome.appendFresh(batch)
		case <-tick:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if len(o.queue) < maxBatch-1 {
		select {
		case <-time.After(batchInterval):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for len(batch) < maxBatch {
		select {
		case outcome := <-o.queue:
			batch = outcome.appendFresh(batch)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// appendFresh adds the outcome to the batch unless it is too old.
func (q *queuedOutcome) appendFresh(batch []*routerv1.CandidateOutcome) []*routerv1.CandidateOutcome {
	if time.Since(q.queuedAt) > maxOutcomeAge {
		return batch
	}
	return append(batch, q.toProto())
}

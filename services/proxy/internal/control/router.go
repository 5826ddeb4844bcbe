package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Reasons of plans that the proxy made itself because it had to.
const (
	ReasonRouterAway  = "ROUTER_UNAVAILABLE"
	ReasonBadDecision = "ROUTER_BAD_DECISION"
)

// Plan is a decision and the policy to carry it out under.
type Plan struct {
	*decide.Decision
	Policy *policy.Policy
	// Failed is set when the router could not be asked: the route is then a
	// fallback, whatever serves.
	Failed bool
}

// excerptBytes is how much of the text is sent with a question.
const excerptBytes = 8 << 10

// Text is what a request says; it is looked at only when it matters.
type Text interface {
	// Excerpt is a part of the text of at most so many bytes.
	Excerpt(limit int) string
	// Conversation tells one from others; 0 when there is nothing to go by.
	Conversation() uint64
}

// Router is the decision service as the proxy sees it.
type Router struct {
	client routerv1.RouterServiceClient
	log    *slog.Logger
	// budget bounds a decision: a request waits no longer for a router that
	// hangs, and is decided here.
	budget    time.Duration
	tolerance tolerance
	decisions *decisions
	active    atomic.Pointer[policy.Policy]
	up        atomic.Bool
	// behind is whether the last snapshot could not be taken up.
	behind atomic.Bool
}

// NewRouter wraps the client. Questions go over the streams of open.
func NewRouter(client routerv1.RouterServiceClient, open OpenDecide, budget time.Duration, log *slog.Logger) *Router {
	return &Router{client: client, budget: budget, decisions: newDecisions(open, log), log: log}
}

// Policy is the active snapshot; nil until the first has come.
func (r *Router) Policy() *policy.Policy { return r.active.Load() }

// Up reports whether snapshots are being pushed and taken up, and questions
// answered, now.
func (r *Router) Up() bool {
	return r.active.Load() != nil && r.up.Load() && !r.behind.Load() && r.decisions.isUp() && !r.tolerance.lost()
}

// Plan decides. What depends on nothing that the router alone knows, such as an
// explicit model name, is decided here, by the same engine. A refusal comes with
// what is known of it, a decision without targets.
func (r *Router) Plan(ctx context.Context, q decide.Question, text Text) (Plan, error) {
	p := r.active.Load()
	if p == nil {
		return Plan{}, apperr.New(apperr.RoutingUnavailable, "no routing policy has been received yet")
	}
	if route, ok := p.Route(q.Model, q.Kind); !ok || !p.NeedsText(route) {
		return r.local(p, q, "")
	}
	if !r.tolerance.asks(time.Now()) {
		return r.local(p, q, ReasonRouterAway)
	}
	d, err := r.ask(ctx, p, q, text)
	r.tolerance.heard(!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil, time.Now())
	switch {
	case err == nil && known(p, d):
		return Plan{Decision: d, Policy: p}, nil
	case err == nil:
		r.log.Error("the router's decision does not fit the policy held here", "policy", d.Policy)
		return r.local(p, q, ReasonBadDecision)
	case refusal(err):
		if d == nil || d.Policy == "" { // which a router of another version does not tell
			d = decide.Refused(p, &q)
		}
		return Plan{Decision: d, Policy: p}, err
	}
	r.log.Debug("router away", "error", err)
	return r.local(p, q, ReasonRouterAway)
}

// local decides here; failed is why the router did not.
func (r *Router) local(p *policy.Policy, q decide.Question, failed string) (Plan, error) {
	d, err := decide.Decide(p, q, decide.Healthy{})
	if err != nil {
		return Plan{Decision: decide.Refused(p, &q), Policy: p}, err
	}
	if failed != "" {
		d.Reason.Code = failed
		d.Reason.Text = "decided by the proxy, as the router did not answer: " + d.Reason.Text
	}
	return Plan{Decision: d, Policy: p, Failed: failed != ""}, nil
}

func (r *Router) ask(ctx context.Context, p *policy.Policy, q decide.Question, text Text) (*decide.Decision, error) {
	asked := &decidewire.Question{Question: q, Excerpt: text.Excerpt(excerptBytes), Policy: p.Version()}
	if route, ok := p.Route(q.Model, q.Kind); ok && route.Affinity != nil {
		asked.Conversation = text.Conversation()
	}
	d, err := r.decisions.ask(ctx, asked, r.budget)
	if d != nil {
		d.Features = joined(q.Features, d.Features)
	}
	return d, err
}

// joined are the features of the question, which are not repeated, with those
// that the router took from the text.
func joined(asked, taken decide.Numbers) decide.Numbers {
	if len(taken) == 0 {
		return asked
	}
	return decide.AppendJoined(nil, taken, asked)
}

// known reports whether every target of the plan is a place in the policy held
// here; the router may be one version ahead.
func known(p *policy.Policy, d *decide.Decision) bool {
	for _, t := range d.Plan {
		m, ok := p.Model(t.Model)
		if !ok || t.Provider == "" {
			return false
		}
		if _, ok := m.At(t.Provider); !ok {
			return false
		}
	}
	return len(d.Plan) > 0
}

// refusal tells the router's verdict on the request from its being away.
func refusal(err error) bool {
	switch apperr.CodeOf(err) {
	case apperr.Internal, apperr.RoutingUnavailable, apperr.GatewayOverloaded:
		return false
	}
	return true
}

// Follow keeps the snapshot current and the router within reach until ctx ends.
// changed is called with each new snapshot before it becomes active; when it
// fails the old one stays.
func (r *Router) Follow(ctx context.Context, changed func(*policy.Policy) error) {
	var wg sync.WaitGroup
	wg.Go(func() { r.decisions.follow(ctx) })
	defer wg.Wait()
	follow(ctx, r.log, "policy", func(ctx context.Context, up func()) error {
		return r.watch(ctx, changed, up)
	})
}

func (r *Router) watch(ctx context.Context, changed func(*policy.Policy) error, up func()) error {
	ctx, beat, stop := heartbeat(ctx)
	defer stop()
	have := ""
	if p := r.active.Load(); p != nil {
		have = p.Version()
	}
	stream, err := r.client.WatchPolicy(ctx, &routerv1.WatchPolicyRequest{Have: have})
	if err != nil {
		return err
	}
	defer r.up.Store(false)
	r.behind.Store(false) // what is in force by now may be what is held here
	for {
		msg, err := stream.Recv()
		if err != nil {
			return err
		}
		beat()
		if s := msg.GetSnapshot(); s != nil {
			r.take(s, changed)
		}
		if !r.up.Swap(true) {
			up()
		}
	}
}

func (r *Router) take(s *routerv1.PolicySnapshot, changed func(*policy.Policy) error) {
	err := r.swap(s, changed)
	if r.behind.Store(err != nil); err != nil {
		r.log.Error("a policy snapshot was refused; the last good one stays", "error", err)
	}
}

func (r *Router) swap(s *routerv1.PolicySnapshot, changed func(*policy.Policy) error) error {
	p, err := policy.Decode(s.GetCompiled())
	if err != nil {
		return err
	}
	if p.Version() != s.GetVersion() {
		return fmt.Errorf("snapshot is named %s but its content is %s", s.GetVersion(), p.Version())
	}
	return r.Adopt(p, changed)
}

// Adopt makes a policy active after changed was called with it. From outside
// it is for a policy that was kept from an earlier run: the router's own, when
// it comes, takes its place.
func (r *Router) Adopt(p *policy.Policy, changed func(*policy.Policy) error) error {
	if err := changed(p); err != nil {
		return err
	}
	r.active.Store(p)
	r.log.Info("policy active", "policy", p.Version())
	return nil
}

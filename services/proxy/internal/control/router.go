package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Reason codes of plans that the proxy made because the router's decision was unusable.
const (
	ReasonRouterUnavailable = "ROUTER_UNAVAILABLE"
	ReasonBadDecision       = "ROUTER_BAD_DECISION"
)

// Plan is a decision together with the policy on which it is based.
type Plan struct {
	*decide.Decision
	Policy *policy.Policy
	// Failed is set if the router gave no usable decision. The route in the record is then always
	// "fallback".
	Failed bool
}

// Text is the text of a request. It is read only if the decision needs it.
type Text interface {
	// AppendExcerpt appends at most limit bytes of the text.
	AppendExcerpt(dst []byte, limit int) []byte
	// ConversationID returns an id of the conversation, or 0 if it cannot be determined.
	ConversationID() uint64
}

// Router is the client of the router.
type Router struct {
	client routerv1.RouterServiceClient
	log    *slog.Logger
	// budget limits the wait for a decision. After that, the proxy decides itself.
	budget    time.Duration
	guard     hangGuard
	decisions *decisionClient
	inUse     atomic.Pointer[policies]
	up        atomic.Bool
	// behind is set if the last pushed policy could not be used.
	behind atomic.Bool
	// drains is what the router last reported as drained. It stays while the router is away.
	drains atomic.Pointer[decide.DrainSet]
}

// NewRouter returns a Router that uses the client.
func NewRouter(client routerv1.RouterServiceClient, budget time.Duration, log *slog.Logger) *Router {
	return &Router{client: client, budget: budget, decisions: newDecisionClient(client, log), log: log}
}

// Policy returns the active policy. It is nil until the first policy arrives. While a rollout is
// open, Choose may return another one.
func (r *Router) Policy() *policy.Policy {
	if u := r.inUse.Load(); u != nil {
		return u.stable
	}
	return nil
}

// IsUp reports whether the router is connected, its last policy is active, and its responses
// arrive.
func (r *Router) IsUp() bool {
	return r.inUse.Load() != nil && r.up.Load() && !r.behind.Load() && r.decisions.isUp() && !r.guard.isLost()
}

// Plan decides with the chosen policy which candidates serve a request. If the decision does not need the router, such
// as for an explicit model name, the proxy makes it with the same engine. If the request is
// rejected, Plan returns an error together with a decision that has no candidates.
func (r *Router) Plan(ctx context.Context, p *policy.Policy, q decide.Question, text Text) (Plan, error) {
	if p == nil {
		return Plan{}, apperr.New(apperr.RoutingUnavailable, "the proxy has not received a routing policy yet; try again shortly")
	}
	route, ok := p.Route(q.Model, q.Kind)
	if !ok || !p.NeedsRouter(route) {
		return r.decideLocally(p, q, "")
	}
	if r.guard.isLost() {
		if r.guard.shouldProbe(time.Now()) {
			go r.ask(context.WithoutCancel(ctx), newQuestion(p, route, &q, text)) //nolint:errcheck // the guard records the result
		}
		return r.decideLocally(p, q, ReasonRouterUnavailable)
	}
	d, err := r.ask(ctx, newQuestion(p, route, &q, text))
	if d != nil { // the router does not repeat the features of the question
		d.Features = decide.AppendMerged(nil, q.Features, d.Features)
		p = r.policyNamed(d.PolicyVersion, p)
	}
	switch {
	case err == nil && adoptPlan(p, d):
		return Plan{Decision: d, Policy: p}, nil
	case err == nil:
		r.log.Error("the router's decision does not match the active policy", "policy", d.PolicyVersion)
		return r.decideLocally(p, q, ReasonBadDecision)
	case isRejection(err):
		if d == nil || d.PolicyVersion == "" { // an older router does not send the decision
			d = decide.RejectedDecision(p, &q)
		}
		return Plan{Decision: d, Policy: p}, err
	}
	r.log.Debug("router unavailable", "error", err)
	return r.decideLocally(p, q, ReasonRouterUnavailable)
}

// decideLocally decides in the proxy. If the router should have made the decision, failureCode is
// the reason code. Otherwise failureCode is empty.
func (r *Router) decideLocally(p *policy.Policy, q decide.Question, failureCode string) (Plan, error) {
	d, err := decide.Decide(p, q, r.Drains())
	if err != nil {
		return Plan{Decision: decide.RejectedDecision(p, &q), Policy: p}, err
	}
	if failureCode != "" {
		d.Reason.Code = failureCode
		d.Reason.Text = "decided by the proxy because the router gave no usable decision: " + d.Reason.Text
	}
	return Plan{Decision: d, Policy: p, Failed: failureCode != ""}, nil
}

// ask requests a decision and records whether it arrived in time.
func (r *Router) ask(ctx context.Context, q question) (*decide.Decision, error) {
	d, err := r.decisions.requestDecision(ctx, q, r.budget)
	r.guard.record(!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil, time.Now())
	return d, err
}

// adoptPlan reports whether the plan has candidates and the active policy has all of them. A
// candidate can be missing if the router already uses the next policy. adoptPlan replaces the names
// by those of the policy: sessions remember a candidate for hours, and its names share the memory of
// the router's whole response.
func adoptPlan(p *policy.Policy, d *decide.Decision) bool {
	for i := range d.Plan {
		c := &d.Plan[i]
		m, ok := p.Model(c.Model)
		if !ok || c.Provider == "" {
			return false
		}
		endpoint, ok := m.EndpointAt(c.Provider)
		if !ok {
			return false
		}
		*c = decide.Candidate{Model: m.ID, Provider: endpoint.Provider, Effort: strings.Clone(c.Effort)}
	}
	return len(d.Plan) > 0
}

// isRejection reports whether the router rejected the request. Otherwise the router failed.
func isRejection(err error) bool {
	switch apperr.CodeOf(err) {
	case apperr.Internal, apperr.RoutingUnavailable, apperr.GatewayOverloaded:
		return false
	}
	return true
}

// Follow receives policies and rollouts, and keeps the decision stream open until ctx ends. It
// calls changed before new policies are used. If changed fails, the old policy stays.
func (r *Router) Follow(ctx context.Context, changed Prepare) {
	var wg sync.WaitGroup
	wg.Go(func() { r.decisions.follow(ctx) })
	defer wg.Wait()
	follow(ctx, r.log, "policy", func(ctx context.Context, up func()) error {
		return r.watchPolicy(ctx, changed, up)
	})
}

func (r *Router) watchPolicy(ctx context.Context, changed Prepare, up func()) error {
	ctx, beat, stop := withHeartbeat(ctx)
	defer stop()
	have := ""
	if p := r.Policy(); p != nil {
		have = p.Version()
	}
	stream, err := r.client.WatchPolicy(ctx, &routerv1.WatchPolicyRequest{Have: have})
	if err != nil {
		return err
	}
	defer r.up.Store(false)
	r.behind.Store(false) // the router sends no policy if this proxy has the current one
	for {
		msg, err := stream.Recv()
		if err != nil {
			return err
		}
		beat()
		r.takeUpdate(msg, changed)
		if !r.up.Swap(true) {
			up()
		}
	}
}

// takeUpdate uses what a message contains. A heartbeat contains nothing.
func (r *Router) takeUpdate(msg *routerv1.WatchPolicyResponse, changed Prepare) {
	if d := msg.GetDrains(); d != nil {
		r.takeDrains(d)
	}
	if s := msg.GetSnapshot(); s != nil {
		p, err := decodeSnapshot(s)
		if err == nil {
			err = r.Adopt(p, changed)
		}
		if r.behind.Store(err != nil); err != nil {
			r.log.Error("policy snapshot rejected: the previous policy stays active", "error", err)
			return
		}
	}
	if msg.GetRollout() == nil || r.inUse.Load() == nil {
		return
	}
	if err := r.takeRollout(msg.GetRollout(), changed); err != nil {
		r.log.Error("rollout rejected: the stable policy serves all requests", "error", err)
	}
}

func decodeSnapshot(s *routerv1.PolicySnapshot) (*policy.Policy, error) {
	p, err := policy.Decode(s.GetCompiled())
	if err == nil && p.Version() != s.GetVersion() {
		err = fmt.Errorf("the snapshot names version %s, but its content has version %s", s.GetVersion(), p.Version())
	}
	return p, err
}

// Adopt calls changed with a policy and then makes the policy active, without a rollout. After a
// start, the proxy adopts the policy that an earlier run stored, until the router sends one.
func (r *Router) Adopt(p *policy.Policy, changed Prepare) error {
	if err := changed(p, nil); err != nil {
		return err
	}
	r.inUse.Store(&policies{stable: p})
	r.log.Info("policy active", "policy", p.Version())
	return nil
}

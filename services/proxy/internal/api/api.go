// Package api is the HTTP edge: the only place of the proxy that reads
// requests and writes responses. Every answer of it is JSON or an event
// stream, every error has the one shape, and no path is redirected. It owns no
// rule of routing or money: it asks, carries out and notes.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// Deps is what the edge works with.
type Deps struct {
	Keys interface {
		Resolve(ctx context.Context, key string) (*keys.Principal, error)
	}
	Router interface {
		// Plan decides; the text is looked at only when it matters.
		Plan(ctx context.Context, q decide.Question, text control.Text) (control.Plan, error)
		Policy() *policy.Policy
	}
	// Providers returns the adapters of a policy.
	Providers func(p *policy.Policy) dispatch.Providers
	Book      interface {
		Open(r *ledger.Record, prices ledger.Prices, inputTokens int64) error
		Close(r *ledger.Record, prices ledger.Prices) error
	}
	// Gate bounds what is inside.
	Gate *gate.Gate
	// Keeper holds callers to their limits.
	Keeper *limits.Keeper
	// Breakers are those of all targets.
	Breakers *breaker.Set
	// Tokens learns how upstreams count.
	Tokens *tokens.Learner
	// Done is told of every record that was closed, after the client has its
	// answer.
	Done func(r *ledger.Record)
	// Refused is told of every limit that refused a request.
	Refused   func(code apperr.Code, limit string)
	Live      http.Handler
	Ready     http.Handler
	Log       *slog.Logger
	Limits    Limits
	KeepAlive KeepAlive
	// CaptureLimit is how much of a request's and an answer's content is kept.
	CaptureLimit int
}

type edge struct {
	Deps
	redactors redactors
}

// New makes the edge's handler.
func New(d Deps) http.Handler { return &edge{Deps: d} }

// ServeHTTP routes by hand: the standard mux redirects double slashes and
// answers in plain text, and clients of this format survive neither.
func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := clean(r.URL.EscapedPath())
	if h := e.probe(path); h != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.ServeHTTP(w, r)
		return
	}
	x := newExchange(w, r)
	defer e.leave(x)
	defer e.recover(x)
	rt, ok := find(path)
	switch {
	case !ok:
		x.fail(notFound(path))
	case r.Method != rt.method:
		w.Header().Set("Allow", rt.method)
		x.fail(apperr.New(apperr.MethodNotAllowed, cut(r.Method, 32)+" is not served here; use "+rt.method).With("allowed", []string{rt.method}))
	default:
		rt.serve(e, x)
	}
}

// recover answers a panic like any other error, so that one bad request harms
// nobody else, and passes on the one panic that net/http wants.
func (e *edge) recover(x *exchange) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		abort()
	}
	e.Log.Error("panic in a handler", "request_id", x.name, "panic", p, "stack", string(debug.Stack()))
	err := apperr.New(apperr.Internal, "internal error")
	whole := !x.closed
	e.conclude(x, err)
	switch {
	case !x.committed:
		x.fail(err)
	case whole && x.out != nil:
		x.out.fail(err)
	default:
		abort() // nobody knows where in its answer the client is
	}
}

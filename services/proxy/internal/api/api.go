// Package api is the HTTP edge of the proxy. It reads requests, calls the other packages
// in order (key, slot, limits, body, decision, dispatch, record) and writes responses.
// Every response is JSON or an event stream, every error is JSON, and no path is
// redirected. The package does not choose the candidates: control.Router does. The package
// estimates the cost of a request, so that the limits can reserve it.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

// Deps holds the parts that the handler uses.
type Deps struct {
	Keys interface {
		Resolve(ctx context.Context, key string) (*keys.Principal, error)
	}
	Router interface {
		// Choose returns the policy for a session or, without a session, for a key.
		Choose(account, subject string) control.Choice
		// Plan returns the candidates to call, in order. It reads text only if the router
		// makes the decision.
		Plan(ctx context.Context, p *policy.Policy, q decide.Question, text control.Text) (control.Plan, error)
		// Policy returns the stable policy.
		Policy() *policy.Policy
	}
	// Providers returns the adapters of a policy.
	Providers func(p *policy.Policy) dispatch.Providers
	Ledger    interface {
		Start(r *ledger.Record, prices ledger.Prices, inputTokens int64) error
		Finish(r *ledger.Record, prices ledger.Prices) error
		WriteFeedback(f *ledger.Feedback) error
	}
	// Running, if set, ends the requests in progress of a key that is revoked. Nil lets them finish.
	Running *keys.Running
	// Gate limits the requests in progress and the memory of their bodies.
	Gate *gate.Gate
	// Limiter enforces the limits of accounts and keys.
	Limiter *limits.Limiter
	// Sessions keeps the states of sessions.
	Sessions *sessionkeeper.Keeper
	// Breakers are the breakers of all candidates.
	Breakers *breaker.Set
	// Tokens learns how upstreams count tokens.
	Tokens *tokens.Learner
	// Shadow runs experiments on served requests. Nil runs none.
	Shadow *shadow.Pool
	// RecordDone is called with every record, after the proxy has tried to write it.
	RecordDone func(r *ledger.Record)
	// LimitRejected is called for every chat or embeddings request that a limit rejected.
	// It receives the error code and the name of the limit.
	LimitRejected func(code apperr.Code, limit string)
	// StartTrace returns the trace of a request; nil if it has none. It may be nil itself.
	StartTrace func(id uuid.UUID, h http.Header) *tracecontext.Context
	// SendTrace passes traces on to the upstreams.
	SendTrace bool
	// KeylessFailed is called for every request that failed before its key was accepted. It may
	// be nil.
	KeylessFailed func(code apperr.Code)
	// LogKeyless logs failed chat and embeddings requests without an accepted key. They have
	// no record, so RecordDone does not see them.
	LogKeyless bool
	Live       http.Handler
	Ready      http.Handler
	Log        *slog.Logger
	Limits     Limits
	KeepAlive  KeepAlive
	// CaptureLimit is the maximum number of bytes to capture from a request, and from a
	// response.
	CaptureLimit int
	// PublicURL is the origin of the documentation that errors link to. If it is empty, the
	// links contain only a path.
	PublicURL string
}

// edge is the handler of the client API.
type edge struct {
	Deps
	redactors redact.Cache
}

// New returns the handler of the client API.
func New(d Deps) http.Handler { return &edge{Deps: d} }

// ServeHTTP does not use http.ServeMux. The mux redirects double slashes and sends errors
// as plain text. Clients of the OpenAI API handle neither.
func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := cleanPath(r.URL.EscapedPath())
	if h := e.probeHandler(path); h != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.ServeHTTP(w, r)
		return
	}
	x := newExchange(w, r)
	x.publicURL = e.PublicURL
	defer e.release(x)
	defer e.recover(x)
	x.chooseFormat(path)
	x.route = findRoute(r.Method, path, r.URL.RawQuery)
	switch {
	case x.route == nil:
		x.sendError(notFoundError(path))
	case !x.route.allows(r.Method):
		x.rejectMethod()
	default:
		x.route.serve(e, x)
	}
}

func (x *exchange) rejectMethod() {
	methods := x.route.methods()
	x.w.Header().Set("Allow", strings.Join(methods, ", "))
	text := truncate(x.r.Method, 32) + " is not supported on this path; use " + strings.Join(methods, " or ")
	x.sendError(apperr.New(apperr.MethodNotAllowed, text).With("allowed", methods))
}

// recover turns a panic into an error response, so that one bad request does not stop the
// process. It repeats the panic http.ErrAbortHandler, so that the server closes the
// connection.
func (e *edge) recover(x *exchange) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // the server also compares with ==
		abort()
	}
	e.Log.Error("panic in a handler", "request_id", x.requestID, "panic", p, "stack", string(debug.Stack()))
	err := apperr.New(apperr.Internal, "internal error")
	wasUnfinished := !x.recorded
	e.recordFailure(x, err)
	switch {
	case !x.committed:
		x.sendError(err)
	case wasUnfinished && x.out != nil:
		x.out.sendError(err, nil)
	default:
		abort() // the client may have received any part of the response
	}
}

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
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// Prefix is the base path that clients are given.
const Prefix = "/proxy/v1"

// Deps is what the edge works with.
type Deps struct {
	Keys interface {
		Resolve(ctx context.Context, key string) (*keys.Principal, error)
	}
	Router interface {
		// Plan decides; excerpt is called only when the text matters.
		Plan(ctx context.Context, q decide.Question, excerpt func() string) (control.Plan, error)
		Policy() *policy.Policy
	}
	// Providers returns the adapters of a policy.
	Providers func(p *policy.Policy) dispatch.Providers
	Book      interface {
		Open(r *ledger.Record, prices ledger.Prices, inputTokens int64) error
		Close(r *ledger.Record, prices ledger.Prices) error
	}
	// Done is told of every record that was closed, after the client has its
	// answer.
	Done  func(r *ledger.Record)
	Live  http.Handler
	Ready http.Handler
	Log   *slog.Logger
	// MaxBody is the longest body that is read.
	MaxBody int64
	// CaptureLimit is how much of a request's and an answer's content is kept.
	CaptureLimit int
}

type edge struct{ Deps }

// route is one path of the edge.
type route struct {
	method string
	serve  func(*edge, *exchange)
}

var routes = map[string]route{
	Prefix + "/chat/completions": {http.MethodPost, (*edge).chat},
	Prefix + "/embeddings":       {http.MethodPost, (*edge).embeddings},
	Prefix + "/models":           {http.MethodGet, (*edge).models},
}

// New makes the edge's handler.
func New(d Deps) http.Handler { return &edge{d} }

// ServeHTTP routes by hand: the standard mux redirects double slashes and
// answers in plain text, and clients of this format survive neither.
func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := clean(r.URL.EscapedPath())
	switch path {
	case "/health":
		e.Live.ServeHTTP(w, r)
		return
	case "/readyz":
		e.Ready.ServeHTTP(w, r)
		return
	}
	x := newExchange(w, r)
	defer e.recover(x)
	rt, ok := find(path)
	switch {
	case !ok:
		x.fail(notFound(path))
	case r.Method != rt.method:
		w.Header().Set("Allow", rt.method)
		x.fail(apperr.New(apperr.MethodNotAllowed, r.Method+" is not served here; use "+rt.method).With("allowed", []string{rt.method}))
	default:
		rt.serve(e, x)
	}
}

func find(path string) (route, bool) {
	if rt, ok := routes[path]; ok {
		return rt, true
	}
	if strings.HasPrefix(path, Prefix+"/models/") {
		return route{http.MethodGet, (*edge).model}, true
	}
	return route{}, false
}

// clean drops the empty segments that concatenating clients produce.
func clean(path string) string {
	if !strings.Contains(path, "//") && !strings.HasSuffix(path, "/") {
		return path
	}
	var b strings.Builder
	for part := range strings.SplitSeq(path, "/") {
		if part != "" {
			b.WriteByte('/')
			b.WriteString(part)
		}
	}
	return b.String()
}

func notFound(path string) error {
	hint := "served here: POST " + Prefix + "/chat/completions, POST " + Prefix + "/embeddings, GET " + Prefix + "/models"
	if strings.HasSuffix(path, "/responses") {
		hint = "use POST " + Prefix + "/chat/completions; in the AI SDK use openai.chat()"
	}
	return apperr.New(apperr.EndpointNotFound, "this path is not served; "+hint).With("path", path).With("hint", hint)
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
	e.Log.Error("panic in a handler", "request_id", x.id.String(), "panic", p, "stack", string(debug.Stack()))
	err := apperr.New(apperr.Internal, "internal error")
	e.conclude(x, err)
	if x.committed {
		abort()
	}
	x.fail(err)
}

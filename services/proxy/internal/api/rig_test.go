package api_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

const document = `
version: 1
providers: {sandbox: {kind: sandbox, timeouts: {first_token: 5m, idle: 5m, total: 10m}}}
models: {sandbox-small: {endpoints: [{provider: sandbox, model: sandbox-small}]}}
defaults: {baseline: sandbox-small}
routes: {auto: {select: [{candidates: [sandbox-small]}]}}
`

// rig is an edge with all its dependencies in memory and with the test's clock.
type rig struct {
	deps   api.Deps
	policy *policy.Policy
	// candidate is the policy of a rollout that serves all sessions; nil without one.
	candidate *policy.Policy
	records   []*ledger.Record
	// feedback is what was written. feedbackError, if set, is returned instead.
	feedback      []*ledger.Feedback
	feedbackError error
	// capture is the value of the capture header.
	capture string
	// limits are the limits of the key.
	limits limits.Set
	// onFinish, if set, is called when a record is written.
	onFinish func()
	// models is the key's list of models. seen are the keys that were sent.
	models []string
	seen   []string
	// accounts are the accounts of keys. scopes are the scopes of all keys.
	accounts map[string]string
	scopes   []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOf(t, document)
}

func newRigOf(t testing.TB, document string) *rig {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	g := &rig{}
	g.policy, err = policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	set, err := registry.Build(g.policy, registry.Deps{ResolveSecret: func(ref string) (config.Secret, error) { return config.Secret("secret of " + ref), nil }}, nil)
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	limiter, err := limits.New(limits.Deps{Proxies: 1, Log: log})
	require.NoError(t, err)
	g.deps = api.Deps{
		Keys: g, Router: g, Ledger: g, RecordDone: func(*ledger.Record) {}, Gate: gate.New(gate.Limits{}), Limiter: limiter, LimitRejected: func(apperr.Code, string) {}, Log: log,
		Sessions:  sessionkeeper.New(t.Context(), sessionkeeper.Deps{Log: log}),
		Providers: func(*policy.Policy) dispatch.Providers { return set },
		Limits:    api.Limits{Body: 1 << 20},
	}
	return g
}

func (g *rig) Resolve(_ context.Context, key string) (*keys.Principal, error) {
	g.seen = append(g.seen, key)
	return &keys.Principal{KeyID: "key", AccountID: g.accounts[key], Scopes: g.scopes, Active: true, Limits: g.limits, Models: g.models}, nil
}

func (g *rig) Choose(string, string) control.Choice {
	return control.Choice{Policy: cmp.Or(g.candidate, g.policy)}
}

func (g *rig) Plan(_ context.Context, p *policy.Policy, q decide.Question, _ control.Text) (control.Plan, error) {
	if g.policy == nil {
		return control.Plan{}, apperr.New(apperr.RoutingUnavailable, "the proxy has no policy")
	}
	d, err := decide.Decide(p, q, decide.AllHealthy{})
	return control.Plan{Decision: d, Policy: p}, err
}

func (g *rig) Policy() *policy.Policy { return g.policy }

func (g *rig) Start(*ledger.Record, ledger.Prices, int64) error { return nil }

func (g *rig) Finish(r *ledger.Record, prices ledger.Prices) error {
	r.ComputeCosts(prices)
	g.records = append(g.records, r)
	if g.onFinish != nil {
		g.onFinish()
	}
	return nil
}

func (g *rig) WriteFeedback(f *ledger.Feedback) error {
	if g.feedbackError != nil {
		return g.feedbackError
	}
	g.feedback = append(g.feedback, f)
	return nil
}

// post sends a chat request over a connection in memory and returns the response at its start.
// stop stops the server.
func (g *rig) post(t *testing.T, body string) (res *http.Response, stop func()) {
	t.Helper()
	return g.postTo(t, "/proxy/v1/chat/completions", body)
}

func (g *rig) postTo(t *testing.T, path, body string) (res *http.Response, stop func()) {
	t.Helper()
	client, server := net.Pipe()
	srv := &http.Server{Handler: api.New(g.deps)} //nolint:gosec // the peer is the test
	lis := &once{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	lis.conn <- server
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(lis)
	}()
	_, err := fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: h\r\nApi-Key: k\r\nX-Signalbox-Capture: %s\r\nContent-Length: %d\r\n\r\n%s", path, g.capture, len(body), body)
	require.NoError(t, err)
	res, err = http.ReadResponse(bufio.NewReader(client), nil)
	require.NoError(t, err)
	return res, func() {
		_ = client.Close()
		_ = srv.Close()
		<-done
	}
}

func all(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

// once is a listener of one connection.
type once struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l *once) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *once) Close() error {
	close(l.closed)
	return nil
}

func (l *once) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

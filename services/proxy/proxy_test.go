package proxy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric/noop"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
)

const patience = 20 * time.Second

// routerServer serves the default policy and always chooses the first candidate of auto.
type routerServer struct {
	routerv1.UnimplementedRouterServiceServer
	policy *policy.Policy
	// published is the last of changes, which a new watch receives too.
	published atomic.Pointer[policy.Policy]
	// changes are sent to the watches of the policy.
	changes chan *policy.Policy
	// decide, if set, makes the decisions.
	decide func() (*routerv1.DecideResponse, error)
	// engine makes it decide with the real engine.
	engine bool
}

func (r *routerServer) WatchPolicy(_ *routerv1.WatchPolicyRequest, s routerv1.RouterService_WatchPolicyServer) error {
	for now := cmp.Or(r.published.Load(), r.policy); ; {
		msg := &routerv1.WatchPolicyResponse{} // a heartbeat has no policy
		if now != nil {
			msg.Snapshot = &routerv1.PolicySnapshot{Version: now.Version(), Compiled: now.Canonical()}
		}
		if err := s.Send(msg); err != nil {
			return err
		}
		now = nil
		select {
		case now = <-r.changes:
			r.published.Store(now)
		case <-time.After(time.Second): // without a message the proxy gives up the watch
		case <-s.Context().Done():
			return nil
		}
	}
}

func (r *routerServer) DecideStream(s routerv1.RouterService_DecideStreamServer) error {
	for {
		q, err := s.Recv()
		if err != nil {
			return nil
		}
		answer := &routerv1.DecideStreamResponse{Id: q.GetId()}
		d, err := r.answer(q.GetRequest())
		var refusal *apperr.Error
		switch {
		case errors.As(err, &refusal):
			details, _ := json.Marshal(refusal.Details)
			answer.Result = &routerv1.DecideStreamResponse_Refusal{Refusal: &routerv1.Refusal{
				Code: string(refusal.Code), Message: refusal.Message, DetailsJson: string(details),
			}}
		case err != nil:
			return err
		default:
			answer.Result = &routerv1.DecideStreamResponse_Response{Response: d}
		}
		if err := s.Send(answer); err != nil {
			return err
		}
	}
}

func (r *routerServer) answer(req *routerv1.DecideRequest) (*routerv1.DecideResponse, error) {
	if r.decide != nil {
		return r.decide()
	}
	if r.engine {
		return r.byPolicy(req)
	}
	first := &routerv1.Candidate{Model: "sandbox-small", Provider: "sandbox"}
	return &routerv1.DecideResponse{Decision: &routerv1.Decision{
		Plan: []*routerv1.Candidate{first}, HealthyFirst: first, BaselineModel: "sandbox-large",
		Reason:        &routerv1.Reason{Code: decide.ReasonOrdered, Text: "first", Rule: "r"},
		PolicyVersion: r.policy.Version(), Features: []*routerv1.NamedValue{{Name: "task_fix", Value: 1}},
	}}, nil
}

func (r *routerServer) byPolicy(req *routerv1.DecideRequest) (*routerv1.DecideResponse, error) {
	q, err := decidepb.ToQuestion(req.GetQuestion())
	if err != nil {
		return nil, err
	}
	d, err := decide.Decide(r.policy, q, decide.AllHealthy{})
	if err != nil {
		return nil, err
	}
	return &routerv1.DecideResponse{Decision: decidepb.FromDecision(d)}, nil
}

// rig is a proxy with all its dependencies.
type rig struct {
	t       *testing.T
	cfg     proxy.Config
	keyauth *keyauthServer
	router  *routerServer
	carrier *records.Memory
	// counters are shared with other proxies; nil if there are none.
	counters *counters.Redis
	server   *httptest.Server
	svc      *proxy.Service
	key      string
	log      *slog.Logger
	// stop stops everything; so does the end of the test.
	stop func()
}

func newRig(t *testing.T, edit func(*proxy.Config)) *rig {
	t.Helper()
	return newLoggingRig(t, slog.DiscardHandler, edit)
}

func newLoggingRig(t *testing.T, log slog.Handler, edit func(*proxy.Config)) *rig {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile(policy.Default(func(string) bool { return false }, cat, time.Now()), cat)
	require.NoError(t, err)
	g := &rig{
		t: t, keyauth: newKeyauthServer(), router: &routerServer{policy: p, changes: make(chan *policy.Policy)}, log: slog.New(log),
		cfg: proxy.Config{Data: t.TempDir(), DecideTimeout: patience, MaxBody: 1 << 20, CaptureBytes: 1 << 10, DrainLimit: time.Second, PublicURL: "https://box.example/"},
	}
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Name: "test"})
	if edit != nil {
		edit(&g.cfg)
	}
	g.start()
	return g
}

// start starts everything and waits until the proxy is ready.
func (g *rig) start() {
	g.t.Helper()
	net := rpc.NewMemory()
	srv := rpc.NewServer(rpc.ServerConfig{})
	keyauthv1.RegisterKeyAuthServiceServer(srv.Registrar(), g.keyauth)
	routerv1.RegisterRouterServiceServer(srv.Registrar(), g.router)
	g.cfg.SetKeyTimeout(patience) // the machine may be slow, but the key service always responds
	svc := g.proxy(net)
	g.run(svc, func(ctx context.Context) error { return srv.Serve(ctx, net.Listener()) }, svc.Run)
	select {
	case <-svc.Ready():
	case <-time.After(patience):
		g.t.Fatal("the proxy did not become ready")
	}
}

// alone starts a proxy without a control plane.
func (g *rig) alone() {
	g.t.Helper()
	net := rpc.NewMemory()
	require.NoError(g.t, net.Listener().Close())
	g.cfg.SetKeyTimeout(0)
	svc := g.proxy(net)
	g.run(svc, svc.Run)
}

func (g *rig) proxy(net *rpc.Memory) *proxy.Service {
	g.t.Helper()
	conn, err := net.Dial(rpc.ClientConfig{})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { require.NoError(g.t, conn.Close()) })
	g.carrier = records.NewMemory()
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	svc, err := proxy.New(g.cfg, proxy.Deps{
		Router: routerv1.NewRouterServiceClient(conn), Keys: keyauthv1.NewKeyAuthServiceClient(conn), Records: g.carrier, Counters: g.counters,
		LookupEnv: func(string) (string, bool) { return "", false }, Health: health.New(), Log: g.log, Meter: noop.NewMeterProvider(),
	})
	require.NoError(g.t, err)
	g.server, g.svc = httptest.NewServer(svc.Handler()), svc
	return svc
}

// run starts the parts, which are stopped in reverse order.
func (g *rig) run(svc *proxy.Service, parts ...func(context.Context) error) {
	var stops []func()
	for _, part := range parts {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- part(ctx) }()
		stops = append(stops, func() {
			cancel()
			require.NoError(g.t, <-done)
		})
	}
	server, carrier := g.server, g.carrier
	g.stop = sync.OnceFunc(func() {
		server.Close()
		go func() { // store the records that no test reads, so that the stop need not wait
			for {
				b, err := carrier.Next(context.Background())
				if err != nil {
					return
				}
				g.ack(b)
			}
		}()
		for _, stop := range slices.Backward(stops) {
			stop()
		}
		require.NoError(g.t, svc.Close())
	})
	g.t.Cleanup(g.stop)
}

func (g *rig) ack(b records.Batch) {
	held := map[string][]records.Range{}
	for _, e := range b.Entries {
		held[e.Producer] = append(held[e.Producer], records.Range{First: e.Seq, Last: e.Seq})
	}
	_ = b.Ack(context.Background(), held)
}

// record waits for the next record.
func (g *rig) record() *recordv1.RequestRecord {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	b, err := g.carrier.Next(ctx)
	require.NoError(g.t, err)
	require.Len(g.t, b.Entries, 1)
	g.ack(b)
	var r recordv1.RequestRecord
	require.NoError(g.t, proto.Unmarshal(b.Entries[0].Record, &r))
	return &r
}

// call sends a request. Header lines have the form "Name: value".
func (g *rig) call(method, path, body string, headers ...string) (*http.Response, string) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.server.URL+path, strings.NewReader(body))
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+g.key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(g.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(g.t, err)
	return res, string(text)
}

package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// steppedHandler sends the first half of a response, and the second half when released.
type steppedHandler struct {
	release chan struct{}
	// left closes when the client disconnects.
	left chan struct{}
}

func newSteppedHandler() *steppedHandler {
	return &steppedHandler{release: make(chan struct{}), left: make(chan struct{})}
}

func (s *steppedHandler) handle(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.URL.Path == "/proxy/stream" {
		_, _ = io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
	}
	select {
	case <-s.release:
		_, _ = io.WriteString(w, "last")
	case <-r.Context().Done():
		close(s.left)
	case <-time.After(waitTimeout):
	}
}

func (s *steppedHandler) startBehindHAProxy(t *testing.T) *haproxy {
	one := newBackendServer(t, "", s.handle)
	return startHAProxy(t, one.URL, one.URL, one.URL)
}

// beginStream requests a stream and reads its first half.
func beginStream(t *testing.T, h *haproxy) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/proxy/stream", strings.NewReader("body"))
	require.NoError(t, err)
	res, err := freshClient.Do(req)
	require.NoError(t, err)
	half := make([]byte, len("first "))
	_, err = io.ReadFull(res.Body, half)
	require.NoError(t, err)
	require.Equal(t, "first ", string(half))
	return res.Body
}

func TestBalancerForwardsStreamsImmediately(t *testing.T) {
	t.Parallel()
	s := newSteppedHandler()
	body := beginStream(t, s.startBehindHAProxy(t))
	defer func() { _ = body.Close() }()
	close(s.release)
	rest, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, "last", string(rest))
}

// stopSignals are the signals that may stop the container.
var stopSignals = map[string]syscall.Signal{"SIGUSR1": syscall.SIGUSR1, "": syscall.SIGTERM}

// signalPatience is how long a busy machine may take to log a stop.
const signalPatience = 5 * time.Second

// After the stop signal the balancer accepts nothing new and running requests finish.
func TestBalancerStopsWithoutCuttingAStream(t *testing.T) {
	t.Parallel()
	s := newSteppedHandler()
	h := s.startBehindHAProxy(t)
	body := beginStream(t, h)
	defer func() { _ = body.Close() }()
	signal, ok := stopSignals[loadCompose(t).Services["balancer"].StopSignal]
	require.True(t, ok)
	signalled := time.Time{}
	require.Eventually(t, func() bool {
		// The master ignores signals for a moment after its start. A second signal during
		// the stop can crash it, so it gets one only if it has had time to log the stop and
		// the log shows none.
		if time.Since(signalled) > signalPatience && !strings.Contains(h.log.String(), "Exiting Master process") {
			signalled = time.Now()
			_ = h.cmd.Process.Signal(signal)
		}
		return !ready(t, h.url)
	}, waitTimeout, pollInterval)
	close(s.release)
	rest, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, "last", string(rest))
	// The exit code is not checked: on a busy machine, HAProxy 2.6 sometimes crashes after its
	// last connection has ended.
	<-h.ended
}

// The server's request is cancelled when the client disconnects, before or during the
// response.
func TestBalancerPropagatesADisconnect(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"stream", "plain"} {
		t.Run(path, func(t *testing.T) {
			s := newSteppedHandler()
			one := newBackendServer(t, "", s.handle)
			h := startHAProxy(t, one.URL, one.URL, one.URL)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/proxy/"+path, strings.NewReader("body"))
			require.NoError(t, err)
			go func() {
				if res, err := freshClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}()
			require.Eventually(t, func() bool { return one.seen.Load() > 0 }, waitTimeout, pollInterval)
			leave()
			select {
			case <-s.left:
			case <-time.After(waitTimeout):
				t.Fatal("the server was not told")
			}
		})
	}
}

// Replacing a proxy under load fails no request. Its running requests finish, and the
// new process serves again.
func TestProxyIsReplacedBehindTheBalancer(t *testing.T) {
	t.Parallel()
	r := newRig(t, StartSplit, "--proxies", "2", "--drain-delay", "3s")
	h := startHAProxy(t, r.box.Proxies[0], r.box.Proxies[1], r.box.Dashboard)
	r.base.Store(&h.url)
	// One per proxy, because the balancer prefers the proxy with the fewest connections.
	streams := []chan reconcile.Request{r.startStream(0), r.startStream(1)}
	said := func(text string) func() bool {
		return func() bool { return strings.Contains(h.log.String(), "proxies/proxy-1 is "+text) }
	}
	r.runUnderLoad(func(e *episode) {
		require.NoError(t, syscall.Kill(r.box.PIDs["proxy-1"], syscall.SIGTERM))
		require.Eventually(t, said("DOWN"), waitTimeout, pollInterval)
		e.awaitSuccesses(20)
		require.Eventually(t, said("UP"), waitTimeout, pollInterval, "another takes its place")
		e.began = r.hour // they began before this
		for _, s := range streams {
			e.books.Requests = append(e.books.Requests, <-s)
		}
	})
	require.GreaterOrEqual(t, producers(r.operator), 2, "both have served")
}

// startStream starts a stream that lasts longer than the drain delay. The channel
// returns its entry when it ends.
func (r *rig) startStream(n int) chan reconcile.Request {
	e := load.LongStream(load.Mark(r.seed, n))
	e.Base, e.Key = *r.base.Load(), r.keys[0]
	line := make(chan reconcile.Request, 1)
	go func() { line <- load.NewClient().Do(context.Background(), e) }()
	require.Eventually(r.t, func() bool { return r.provider.HasReceived(e.Entry.Mark) }, waitTimeout, pollInterval)
	return line
}

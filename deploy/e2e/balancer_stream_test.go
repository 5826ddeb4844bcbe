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

// stepper answers in two halves, the second when it is let go.
type stepper struct {
	letGo chan struct{}
	// left is closed when the client has gone.
	left chan struct{}
}

func newStepper() *stepper { return &stepper{letGo: make(chan struct{}), left: make(chan struct{})} }

func (s *stepper) handle(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.URL.Path == "/proxy/stream" {
		_, _ = io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
	}
	select {
	case <-s.letGo:
		_, _ = io.WriteString(w, "last")
	case <-r.Context().Done():
		close(s.left)
	case <-time.After(waitTimeout):
	}
}

func (s *stepper) balanced(t *testing.T) *haproxy {
	one := newBehind(t, "", s.handle)
	return startHAProxy(t, one.URL, one.URL, one.URL)
}

// begin asks for a stream and reads its first half.
func begin(t *testing.T, h *haproxy) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/proxy/stream", strings.NewReader("body"))
	require.NoError(t, err)
	res, err := fresh.Do(req)
	require.NoError(t, err)
	half := make([]byte, len("first "))
	_, err = io.ReadFull(res.Body, half)
	require.NoError(t, err)
	require.Equal(t, "first ", string(half))
	return res.Body
}

func TestBalancerHoldsNothingBack(t *testing.T) {
	s := newStepper()
	body := begin(t, s.balanced(t))
	defer func() { _ = body.Close() }()
	close(s.letGo)
	rest, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, "last", string(rest))
}

// stopSignals are those that a container may be stopped by.
var stopSignals = map[string]syscall.Signal{"SIGUSR1": syscall.SIGUSR1, "": syscall.SIGTERM}

// Told to stop, it takes no more and lets what runs finish.
func TestBalancerStopsWithoutCuttingAStream(t *testing.T) {
	s := newStepper()
	h := s.balanced(t)
	body := begin(t, h)
	defer func() { _ = body.Close() }()
	signal, ok := stopSignals[loadCompose(t).Services["balancer"].StopSignal]
	require.True(t, ok)
	require.Eventually(t, func() bool {
		// Its master is deaf for a moment when it has only just started.
		_ = h.cmd.Process.Signal(signal)
		return !ready(t, h.url)
	}, waitTimeout, pollInterval)
	close(s.letGo)
	rest, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equal(t, "last", string(rest))
	<-h.ended
	require.Zero(t, h.cmd.ProcessState.ExitCode(), h.log.String())
}

// Whoever leaves is no longer worked for, before the answer and during it.
func TestBalancerTellsThatAClientHasLeft(t *testing.T) {
	for _, path := range []string{"stream", "plain"} {
		t.Run(path, func(t *testing.T) {
			s := newStepper()
			one := newBehind(t, "", s.handle)
			h := startHAProxy(t, one.URL, one.URL, one.URL)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/proxy/"+path, strings.NewReader("body"))
			require.NoError(t, err)
			go func() {
				if res, err := fresh.Do(req); err == nil {
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

// A proxy is stopped and replaced under load: no request fails, those that run
// on it finish, and it serves again.
func TestProxyIsReplacedBehindTheBalancer(t *testing.T) {
	r := newRig(t, StartSplit, "--proxies", "2", "--drain-delay", "3s")
	h := startHAProxy(t, r.box.Proxies[0], r.box.Proxies[1], r.box.Dashboard)
	r.base.Store(&h.url)
	// One for each proxy, because the balancer looks for the idlest.
	streams := []chan reconcile.Request{r.stream(0), r.stream(1)}
	said := func(text string) func() bool {
		return func() bool { return strings.Contains(h.log.String(), "proxies/proxy-1 is "+text) }
	}
	r.under(func(e *episode) {
		require.NoError(t, syscall.Kill(r.box.PIDs["proxy-1"], syscall.SIGTERM))
		require.Eventually(t, said("DOWN"), waitTimeout, pollInterval)
		e.after(20)
		require.Eventually(t, said("UP"), waitTimeout, pollInterval, "another takes its place")
		e.began = r.hour // they began before this
		for _, s := range streams {
			e.books.Requests = append(e.books.Requests, <-s)
		}
	})
	require.GreaterOrEqual(t, producers(r.operator), 2, "both have served")
}

// stream begins one that lasts longer than a proxy takes requests after it was
// told to stop, and gives its line of the book when it has ended.
func (r *rig) stream(n int) chan reconcile.Request {
	e := load.LongStream(load.Mark(r.seed, n))
	e.Base, e.Key = *r.base.Load(), r.keys[0]
	line := make(chan reconcile.Request, 1)
	go func() { line <- load.NewClient().Do(context.Background(), e) }()
	require.Eventually(r.t, func() bool { return r.provider.HasReceived(e.Entry.Mark) }, waitTimeout, pollInterval)
	return line
}

package e2e

import (
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// load sends requests from several clients until it is stopped, and keeps what
// became of them.
type load struct {
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	answered map[string]bool
	failed   []string
	grown    chan struct{}
}

func startLoad(t *testing.T, box *Box) *load {
	l := &load{stop: make(chan struct{}), answered: map[string]bool{}, grown: make(chan struct{}, 1)}
	for range 4 {
		l.wg.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
					l.note(once(t, box))
				}
			}
		})
	}
	return l
}

// once returns the id of a request that was answered, or what went wrong.
func once(t *testing.T, box *Box) (id, fault string) {
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	if err != nil {
		return "", err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err.Error()
	}
	if res.StatusCode != http.StatusOK {
		return "", string(body)
	}
	return res.Header.Get("X-Request-Id"), ""
}

func (l *load) note(id, fault string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fault != "" {
		l.failed = append(l.failed, fault)
		return
	}
	l.answered[id] = true
	select {
	case l.grown <- struct{}{}:
	default:
	}
}

// more waits until so many further requests have been answered.
func (l *load) more(t *testing.T, n int) {
	t.Helper()
	want := l.count() + n
	require.Eventually(t, func() bool { return l.count() >= want }, patience, pollEvery, "the service stands still")
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answered)
}

func (l *load) end() (answered map[string]bool, failed []string) {
	close(l.stop)
	l.wg.Wait()
	return l.answered, l.failed
}

// No client notices the death of a service behind the proxies, only requests in
// flight notice that of their proxy, and every answer is in the ledger once.
func TestKillNineOfEachServiceUnderLoad(t *testing.T) {
	box := StartSplit(t, "--proxies", "2")
	l := startLoad(t, box)
	for _, name := range []string{"keyauth", "router", "dashboard"} {
		l.more(t, 20)
		require.NoError(t, syscall.Kill(box.PIDs[name], syscall.SIGKILL), name)
		l.more(t, 50)
	}
	l.mu.Lock()
	require.Empty(t, l.failed, "the data plane does not need the control plane to go on")
	l.mu.Unlock()

	require.NoError(t, syscall.Kill(box.PIDs["proxy-1"], syscall.SIGKILL))
	l.more(t, 50)
	answered, failed := l.end()
	require.LessOrEqual(t, len(failed), 4, "one for each client at most: %v", failed)

	operator := box.Operator()
	require.Eventually(t, func() bool { return missing(operator.Records(), answered) == 0 }, patience, pollEvery)
	times := map[string]int{}
	for _, r := range operator.Records() {
		times[r.ID]++
		require.Equal(t, 1, times[r.ID])
		if answered[r.ID] {
			require.Equal(t, "ok", r.Outcome)
		}
	}
	t.Logf("%d answered, %d failed, %d records", len(answered), len(failed), len(times))
}

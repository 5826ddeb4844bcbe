package e2e

import (
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

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

// No client notices the death of a part behind the proxies, only requests in
// flight notice that of their proxy, and every answer is in the ledger once.
func TestKillNineOfEachPartUnderLoad(t *testing.T) {
	box := StartSplit(t, "--proxies", "2")
	l := startLoad(t, box)
	for _, name := range []string{"keyauth", "router", "dashboard", "redis", "postgres"} {
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

// A proxy of several can be drained and replaced, and then the next, without a
// failed request; all of them serve.
func TestProxiesAreReplacedUnderLoad(t *testing.T) {
	box := StartSplit(t, "--proxies", "4")
	l := startLoad(t, box)
	for i, name := range []string{"proxy-1", "proxy-2"} {
		l.more(t, 20)
		require.NoError(t, syscall.Kill(box.PIDs[name], syscall.SIGTERM), name)
		require.Eventually(t, func() bool { return !ready(t, box.Proxies[i]) }, patience, pollEvery, "it drains")
		require.Eventually(t, func() bool { return ready(t, box.Proxies[i]) }, patience, pollEvery, "another takes its place")
		l.more(t, 20)
	}
	answered, failed := l.end()
	require.Empty(t, failed)
	operator := box.Operator()
	require.Eventually(t, func() bool { return missing(operator.Records(), answered) == 0 }, patience, pollEvery)
	require.GreaterOrEqual(t, producers(operator), 4, "requests are spread")
}

// producers counts the proxies whose records are in the ledger, none of them
// with a hole.
func producers(operator *Account) int {
	operator.t.Helper()
	var seen struct {
		Items []struct{ Stored, Missing int }
	}
	status, body := operator.Call(http.MethodGet, "/completeness", nil, &seen)
	require.Equal(operator.t, http.StatusOK, status, "%s", body)
	for _, p := range seen.Items {
		require.Positive(operator.t, p.Stored)
		require.Zero(operator.t, p.Missing)
	}
	return len(seen.Items)
}

func ready(t *testing.T, base string) bool {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/readyz", nil)
	require.NoError(t, err)
	res, err := edgeClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// A key made in the dashboard works on every proxy, and stops on every proxy
// when it is revoked.
func TestKeysAreKnownEverywhere(t *testing.T) {
	box := StartSplit(t)
	operator := box.Operator()
	var made struct{ ID, Key string }
	status, body := operator.Call(http.MethodPost, "/keys", map[string]string{"name": "everywhere"}, &made)
	require.Equal(t, http.StatusCreated, status, "%s", body)
	box.Key = made.Key
	everywhere := func(status int) func() bool {
		return func() bool {
			for _, base := range box.Proxies {
				if statusAt(t, base, made.Key) != status {
					return false
				}
			}
			return true
		}
	}
	began := time.Now()
	require.Eventually(t, everywhere(http.StatusOK), patience, pollEvery)
	t.Logf("known to %d proxies %s after it was made", len(box.Proxies), time.Since(began))
	status, body = operator.Call(http.MethodDelete, "/keys/"+made.ID, nil, nil)
	require.Less(t, status, 300, "%s", body)
	began = time.Now()
	require.Eventually(t, everywhere(http.StatusUnauthorized), patience, pollEvery)
	t.Logf("refused by %d proxies %s after it was revoked", len(box.Proxies), time.Since(began))
}

func statusAt(t *testing.T, base, key string) int {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/proxy/v1/models", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	_ = res.Body.Close()
	return res.StatusCode
}

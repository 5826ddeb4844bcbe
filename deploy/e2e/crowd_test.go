package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowd is a group of clients with one key. Each sends requests without a pause, to the
// proxies in turn.
type crowd struct {
	t      *testing.T
	box    *Gateway
	key    string
	began  time.Time
	cancel context.CancelFunc
	done   sync.WaitGroup
	// admitted counts the served requests; refused counts the requests rejected by a
	// limit, by code.
	admitted atomic.Int64
	mu       sync.Mutex
	refused  map[string]int
	// failed lists results that no limit explains.
	failed []string
}

// startCrowd starts the clients.
func startCrowd(t *testing.T, box *Gateway, key string) *crowd {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := &crowd{t: t, box: box, key: key, began: time.Now(), cancel: cancel, refused: map[string]int{}}
	for n := range *clients {
		c.done.Go(func() {
			// No keep-alive: if a connection dies with its proxy, the client cannot tell
			// whether the request was served.
			client := &http.Client{Timeout: waitTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
			for turn := n; ctx.Err() == nil; turn++ {
				if !c.sendOne(ctx, client, box.Proxies[turn%len(box.Proxies)]) {
					wait(10*pollInterval, ctx.Done()) // a shorter backoff than Retry-After asks for
				}
			}
		})
	}
	t.Cleanup(c.stop)
	return c
}

// stop stops the clients and waits until the last one has its response.
func (c *crowd) stop() {
	c.cancel()
	c.done.Wait()
}

const crowdBody = `{"model":"small","max_tokens":7,"messages":[{"role":"user","content":"hi"}]}`

// sendOne sends one request and reports whether it was served.
func (c *crowd) sendOne(ctx context.Context, client *http.Client, base string) bool {
	// Requests in flight when the crowd stops still finish.
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(crowdBody))
	if err != nil {
		c.recordResult("", err.Error())
		return false
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		c.recordResult("", err.Error())
		return false
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	var refusal struct{ Code string }
	switch _ = json.Unmarshal(body, &refusal); {
	case err != nil:
		c.recordResult("", err.Error())
	case res.StatusCode == http.StatusOK:
		c.admitted.Add(1)
		return true
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusPaymentRequired:
		c.recordResult(refusal.Code, "")
	default:
		c.recordResult("", res.Status+" "+string(body))
	}
	return false
}

func (c *crowd) recordResult(code, failure string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if failure != "" {
		c.failed = append(c.failed, failure)
		return
	}
	c.refused[code]++
}

// unexplained returns the results that no limit explains.
func (c *crowd) unexplained() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.failed...)
}

// refusals returns how often clients got the code of a limit.
func (c *crowd) refusals(code string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused[code]
}

// awaitRefusals waits until the clients have got the code of a limit so many times.
func (c *crowd) awaitRefusals(code string, times int) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return c.refusals(code) >= times }, 2*waitTimeout, pollInterval, "nobody is refused with %s", code)
}

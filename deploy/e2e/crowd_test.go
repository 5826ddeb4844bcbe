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

// clients is how many there are at once.
const clients = 50

// crowd is many clients of one key that ask as fast as they are answered, each
// of another proxy in turn.
type crowd struct {
	t     *testing.T
	box   *Gateway
	key   string
	began time.Time
	stop  context.CancelFunc
	done  sync.WaitGroup
	// admitted is how many were served, refused how many were told of a limit,
	// by its code.
	admitted atomic.Int64
	mu       sync.Mutex
	refused  map[string]int
	// failed is what nothing explains.
	failed []string
}

// gather lets a crowd loose on the box.
func gather(t *testing.T, box *Gateway, key string) *crowd {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &crowd{t: t, box: box, key: key, began: time.Now(), stop: stop, refused: map[string]int{}}
	for n := range clients {
		c.done.Go(func() {
			// A kept connection may have died with its proxy, and nobody knows then
			// whether the request was served.
			client := &http.Client{Timeout: waitTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
			for turn := n; ctx.Err() == nil; turn++ {
				if !c.ask(ctx, client, box.Proxies[turn%len(box.Proxies)]) {
					wait(20*pollInterval, ctx.Done()) // as one that is told to, but not for as long
				}
			}
		})
	}
	t.Cleanup(c.leave)
	return c
}

// leave waits until the last client has its answer.
func (c *crowd) leave() {
	c.stop()
	c.done.Wait()
}

const crowdBody = `{"model":"small","max_tokens":7,"messages":[{"role":"user","content":"hi"}]}`

// ask makes one request, and tells whether it was served.
func (c *crowd) ask(ctx context.Context, client *http.Client, base string) bool {
	// Whoever is asking when the crowd leaves still hears the answer.
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(crowdBody))
	if err != nil {
		c.note("", err.Error())
		return false
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		c.note("", err.Error())
		return false
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	var refusal struct{ Code string }
	switch _ = json.Unmarshal(body, &refusal); {
	case err != nil:
		c.note("", err.Error())
	case res.StatusCode == http.StatusOK:
		c.admitted.Add(1)
		return true
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusPaymentRequired:
		c.note(refusal.Code, "")
	default:
		c.note("", res.Status+" "+string(body))
	}
	return false
}

func (c *crowd) note(code, failure string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if failure != "" {
		c.failed = append(c.failed, failure)
		return
	}
	c.refused[code]++
}

// unexplained is what clients saw that no limit explains.
func (c *crowd) unexplained() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.failed...)
}

// refusals is how often clients were told of a limit.
func (c *crowd) refusals(code string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused[code]
}

// isRefused waits until the crowd has been told of a limit so often.
func (c *crowd) isRefused(code string, times int) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return c.refusals(code) >= times }, 2*waitTimeout, pollInterval, "nobody is refused with %s", code)
}

package overload

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

const requestBody = `{"model":"small","stream":true,` + canned.PacedMark + `,"messages":[{"role":"user","content":"hi"}]}`

// maxOpen limits the requests in flight. Otherwise the memory of this machine could
// limit the measurement.
const maxOpen = 4096

// loadClients sends requests until it is stopped.
type loadClients struct {
	ctx    context.Context
	stop   context.CancelFunc
	client *http.Client
	edge   string
	began  time.Time
	wg     sync.WaitGroup
	slots  chan struct{}

	mu      sync.Mutex
	results callResults
}

// callResults holds the responses that the clients received.
type callResults struct {
	lasted time.Duration
	// served are complete responses; refused are responses with status 503.
	served, refused []traffic.Timing
	failed          int
	failure         string
}

func newLoadClients(ctx context.Context, edge string) *loadClients {
	ctx, stop := context.WithCancel(ctx)
	transport := &http.Transport{MaxIdleConnsPerHost: maxOpen}
	return &loadClients{
		ctx: ctx, stop: stop, edge: edge, began: time.Now(),
		client: &http.Client{Transport: transport}, slots: make(chan struct{}, maxOpen),
	}
}

// startClosedLoop starts clients that wait for each response, pause for a random part
// of pause, and then send the next request.
func (c *loadClients) startClosedLoop(key string, clients int, pause time.Duration) {
	for range clients {
		c.wg.Go(func() {
			for c.ctx.Err() == nil {
				c.sendRequest(key)
				c.sleep(rand.N(max(1, pause)))
			}
		})
	}
}

// startOpenLoop sends requests at a rate, without waiting for responses.
func (c *loadClients) startOpenLoop(key string, rate float64) {
	c.wg.Go(func() {
		tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-c.ctx.Done():
				return
			}
			select {
			case c.slots <- struct{}{}:
				c.wg.Go(func() {
					c.sendRequest(key)
					<-c.slots
				})
			default:
			}
		}
	})
}

// finish lets the clients run for d, stops them and returns the results.
func (c *loadClients) finish(d time.Duration) *callResults {
	c.sleep(d)
	c.stop()
	lasted := time.Since(c.began)
	c.wg.Wait()
	c.client.CloseIdleConnections()
	c.results.lasted = lasted
	return &c.results
}

// sleep waits for d, or until the clients are stopped.
func (c *loadClients) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.ctx.Done():
	}
}

func (c *loadClients) sendRequest(key string) {
	began := time.Now()
	res, err := traffic.PostChat(c.ctx, c.client, c.edge, key, requestBody)
	if err != nil {
		c.recordResult(0, traffic.Timing{}, err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	one := make([]byte, 1)
	_, err = io.ReadFull(res.Body, one)
	t := traffic.Timing{First: time.Since(began)}
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
	}
	t.Whole = time.Since(began)
	c.recordResult(res.StatusCode, t, err)
}

func (c *loadClients) recordResult(status int, t traffic.Timing, err error) {
	if c.ctx.Err() != nil {
		return // cancelled by the end of the phase, which is not a failure
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := &c.results
	switch {
	case err == nil && status == http.StatusOK:
		h.served = append(h.served, t)
	case err == nil && status == http.StatusServiceUnavailable:
		h.refused = append(h.refused, t)
	default:
		h.failed++
		h.failure = fmt.Sprintf("%d %v", status, err)
	}
}

func (h *callResults) rate(of []traffic.Timing) float64 { return float64(len(of)) / h.lasted.Seconds() }

func (h *callResults) print(out io.Writer, name string) {
	ms := func(of []traffic.Timing, p int, what func(traffic.Timing) time.Duration) float64 {
		return traffic.Percentile(of, p, what) / 1000
	}
	_, _ = fmt.Fprintf(out, "  %-36s served %6.1f/s, first token p50 %6.2f ms p99 %6.2f ms; refused %7.1f/s, p50 %5.2f ms p99 %5.2f ms; failed %d %s\n", name,
		h.rate(h.served), ms(h.served, 50, traffic.First), ms(h.served, 99, traffic.First),
		h.rate(h.refused), ms(h.refused, 50, traffic.Whole), ms(h.refused, 99, traffic.Whole), h.failed, h.failure)
}

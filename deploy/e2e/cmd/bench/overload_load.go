package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

const overloadBody = `{"model":"small","stream":true,` + pacedMark + `,"messages":[{"role":"user","content":"hi"}]}`

// maxOpen bounds the requests that wait for an answer, so that what is measured
// is the gateway and not this machine's memory.
const maxOpen = 4096

// callers put requests on a gateway until they are told to stop.
type callers struct {
	ctx    context.Context
	stop   context.CancelFunc
	client *http.Client
	url    string
	began  time.Time
	wg     sync.WaitGroup
	slots  chan struct{}

	mu    sync.Mutex
	heard heard
}

// heard is what callers were answered.
type heard struct {
	lasted time.Duration
	// served were answered to the end, refused were told that it is too much.
	served, refused []timing
	failed          int
	failure         string
}

func newCallers(ctx context.Context, edge string) *callers {
	ctx, stop := context.WithCancel(ctx)
	transport := &http.Transport{MaxIdleConnsPerHost: maxOpen}
	return &callers{
		ctx: ctx, stop: stop, url: "http://" + edge + "/proxy/v1/chat/completions", began: time.Now(),
		client: &http.Client{Transport: transport}, slots: make(chan struct{}, maxOpen),
	}
}

// loop lets clients ask again when they are answered, at some moment within the
// pause.
func (c *callers) loop(key string, clients int, pause time.Duration) {
	for range clients {
		c.wg.Go(func() {
			for c.ctx.Err() == nil {
				c.ask(key)
				c.rest(rand.N(max(1, pause)))
			}
		})
	}
}

// open begins requests at a rate, whatever becomes of them.
func (c *callers) open(key string, rate float64) {
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
					c.ask(key)
					<-c.slots
				})
			default:
			}
		}
	})
}

// wait lets them go on for a while and returns what they heard.
func (c *callers) wait(d time.Duration) *heard {
	c.rest(d)
	c.stop()
	lasted := time.Since(c.began)
	c.wg.Wait()
	c.client.CloseIdleConnections()
	c.heard.lasted = lasted
	return &c.heard
}

// rest waits, unless they are told to stop.
func (c *callers) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.ctx.Done():
	}
}

func (c *callers) ask(key string) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.url, strings.NewReader(overloadBody))
	if err != nil {
		c.note(0, timing{}, err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	res, err := c.client.Do(req)
	if err != nil {
		c.note(0, timing{}, err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	one := make([]byte, 1)
	_, err = io.ReadFull(res.Body, one)
	t := timing{first: time.Since(began)}
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
	}
	t.whole = time.Since(began)
	c.note(res.StatusCode, t, err)
}

func (c *callers) note(status int, t timing, err error) {
	if c.ctx.Err() != nil {
		return // cut off by the end, which is nobody's failure
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := &c.heard
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

func (h *heard) rate(of []timing) float64 { return float64(len(of)) / h.lasted.Seconds() }

func (h *heard) print(out io.Writer, name string) {
	ms := func(of []timing, p int, what func(timing) time.Duration) float64 {
		return percentile(of, p, what) / 1000
	}
	_, _ = fmt.Fprintf(out, "  %-36s served %6.1f/s, first token p50 %6.2f ms p99 %6.2f ms; refused %7.1f/s, p50 %5.2f ms p99 %5.2f ms; failed %d %s\n", name,
		h.rate(h.served), ms(h.served, 50, first), ms(h.served, 99, first),
		h.rate(h.refused), ms(h.refused, 50, whole), ms(h.refused, 99, whole), h.failed, h.failure)
}

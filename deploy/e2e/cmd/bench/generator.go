package main

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// maxInFlight bounds the connections of a load with a rate if the peer cannot keep
// up.
const maxInFlight = 512

// generator puts loads on one peer.
type generator struct {
	address, path, key string
	// header is a line that every request has in addition.
	header string
	// chat and embed are the requested models.
	chat, embed string
	// answered counts the complete responses of all loads.
	answered int

	mu   sync.Mutex
	idle []*client
}

// outcome holds the results of a load's requests.
type outcome struct {
	took     []timing
	failed   int
	firstErr error // the first failure
	lasted   time.Duration
}

func (o *outcome) add(t timing, err error) {
	if err == nil {
		o.took = append(o.took, t)
		return
	}
	o.failed++
	o.firstErr = cmp.Or(o.firstErr, err)
}

func (o *outcome) merge(other outcome) {
	o.took = append(o.took, other.took...)
	o.failed += other.failed
	o.firstErr = cmp.Or(o.firstErr, other.firstErr)
}

// run puts a load on the peer and waits for the last response.
func (g *generator) run(ctx context.Context, l load, lasts time.Duration) outcome {
	model := g.chat
	if l.vector {
		model = g.embed
	}
	req := encodeRequest(g.address, l.endpoint(g.path), g.key, g.header, l.body(model))
	began := time.Now()
	var o outcome
	if l.rate > 0 {
		o = g.runOpenLoop(ctx, l, req, lasts)
	} else {
		o = g.runClosedLoop(ctx, l, req, lasts)
	}
	o.lasted = time.Since(began)
	g.answered += len(o.took)
	return o
}

// runClosedLoop keeps a number of clients busy.
func (g *generator) runClosedLoop(ctx context.Context, l load, req []byte, lasts time.Duration) outcome {
	until := time.Now().Add(lasts)
	parts := make([]outcome, l.clients)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			c := g.takeClient()
			defer g.returnClient(c)
			for ctx.Err() == nil && time.Now().Before(until) {
				parts[i].add(c.do(ctx, req, l.stream))
			}
		})
	}
	wg.Wait()
	var all outcome
	for _, p := range parts {
		all.merge(p)
	}
	return all
}

// runOpenLoop starts requests at a rate. A slow response delays other requests only if
// maxInFlight requests are in flight.
func (g *generator) runOpenLoop(ctx context.Context, l load, req []byte, lasts time.Duration) outcome {
	tick := time.NewTicker(time.Second / time.Duration(l.rate))
	defer tick.Stop()
	flying := make(chan struct{}, maxInFlight)
	var (
		all outcome
		mu  sync.Mutex
		wg  sync.WaitGroup
	)
	for range int(lasts.Seconds() * float64(l.rate)) {
		<-tick.C
		if ctx.Err() != nil {
			break
		}
		flying <- struct{}{}
		wg.Go(func() {
			c := g.takeClient()
			t, err := c.do(ctx, req, l.stream)
			g.returnClient(c)
			<-flying
			mu.Lock()
			defer mu.Unlock()
			all.add(t, err)
		})
	}
	wg.Wait()
	return all
}

// takeClient returns the connection used last, which the peer is least likely to
// have closed.
func (g *generator) takeClient() *client {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.idle)
	if n == 0 {
		return &client{address: g.address}
	}
	c := g.idle[n-1]
	g.idle = g.idle[:n-1]
	return c
}

func (g *generator) returnClient(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = append(g.idle, c)
}

func (g *generator) close() {
	for _, c := range g.idle {
		c.close()
	}
}

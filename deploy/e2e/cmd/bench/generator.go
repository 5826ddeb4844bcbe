package main

import (
	"context"
	"sync"
	"time"
)

// maxFlying bounds the connections of a load with a rate, should the peer not
// keep up with it.
const maxFlying = 512

// generator puts loads on one peer.
type generator struct {
	address, path, key string
	// chat and embed are the models to ask for.
	chat, embed string
	// answered counts the whole answers of all loads.
	answered int

	mu   sync.Mutex
	idle []*client
}

// outcome is what became of a load's requests.
type outcome struct {
	took   []timing
	failed int
	first  error // the first failure
	lasted time.Duration
}

func (o *outcome) add(t timing, err error) {
	if err == nil {
		o.took = append(o.took, t)
		return
	}
	o.failed++
	if o.first == nil {
		o.first = err
	}
}

func (o *outcome) merge(other outcome) {
	o.took = append(o.took, other.took...)
	o.failed += other.failed
	if o.first == nil {
		o.first = other.first
	}
}

// run puts a load on the peer for a time, and waits for the last answer.
func (g *generator) run(ctx context.Context, l load, lasts time.Duration) outcome {
	model := g.chat
	if l.vector {
		model = g.embed
	}
	req := request(g.address, g.path+l.endpoint(), g.key, l.body(model))
	began := time.Now()
	var o outcome
	if l.rate > 0 {
		o = g.open(ctx, l, req, lasts)
	} else {
		o = g.closed(ctx, l, req, lasts)
	}
	o.lasted = time.Since(began)
	g.answered += len(o.took)
	return o
}

// closed keeps a number of clients busy.
func (g *generator) closed(ctx context.Context, l load, req []byte, lasts time.Duration) outcome {
	until := time.Now().Add(lasts)
	parts := make([]outcome, l.clients)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			c := g.take()
			defer g.give(c)
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

// open begins requests at a rate. A slow answer holds up no other request.
func (g *generator) open(ctx context.Context, l load, req []byte, lasts time.Duration) outcome {
	tick := time.NewTicker(time.Second / time.Duration(l.rate))
	defer tick.Stop()
	flying := make(chan struct{}, maxFlying)
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
			c := g.take()
			t, err := c.do(ctx, req, l.stream)
			g.give(c)
			<-flying
			mu.Lock()
			defer mu.Unlock()
			all.add(t, err)
		})
	}
	wg.Wait()
	return all
}

// take returns the connection that was used last, which is the least likely
// to have been closed by the peer.
func (g *generator) take() *client {
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

func (g *generator) give(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = append(g.idle, c)
}

func (g *generator) close() {
	for _, c := range g.idle {
		c.close()
	}
}

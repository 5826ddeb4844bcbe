package soak

import (
	"context"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

const (
	// faultShare is the share of requests that fail on purpose, in percent.
	faultShare = 3
	// forwardShare is how many requests are sent to the ReverseProxy in addition, in percent.
	forwardShare = 10
)

// mix sends requests of all protocols.
type mix struct {
	// generators has one per proxy and requested model.
	generators []*traffic.Generator
	// forward sends to the ReverseProxy.
	forward *traffic.Generator
	loads   []traffic.Load
	// sent counts the requests. Each of them has a record, unless a proxy refused the connection.
	sent atomic.Int64
}

// partOutcome holds the results of one part. faulty counts the requests that failed on purpose,
// forwarded are the results of the ReverseProxy.
type partOutcome struct {
	traffic.Outcome
	faulty    int
	forwarded traffic.Outcome
}

func newMix(box *rig.Box, forward string) *mix {
	t := &mix{forward: &traffic.Generator{Address: forward, Path: "/v1", Chat: rig.ModelChat, Embed: rig.ModelEmbed}}
	t.loads = slices.DeleteFunc(traffic.Loads(), func(l traffic.Load) bool { return l.Rate > 0 || l.Bytes > traffic.AgentBytes })
	for _, edge := range box.Edges {
		for _, model := range []string{rig.ModelChat, rig.RouteOrdered, rig.RouteAuto} {
			t.generators = append(t.generators, &traffic.Generator{Address: edge, Path: "/proxy/v1", Key: box.Key, Chat: model, Embed: rig.ModelEmbed})
		}
	}
	return t
}

// measureCapacity returns how many requests of the mix are served per second at most.
func (t *mix) measureCapacity(ctx context.Context) float64 {
	const lasts = 5 * time.Second
	var served sync.Map
	var wg sync.WaitGroup
	until := time.Now().Add(lasts)
	for i := range 16 {
		wg.Go(func() {
			n := 0
			for time.Now().Before(until) && ctx.Err() == nil {
				if _, err := t.send(ctx); err == nil {
					n++
				}
			}
			served.Store(i, n)
		})
	}
	wg.Wait()
	total := 0
	served.Range(func(_, n any) bool { total += n.(int); return true }) //nolint:forcetypeassert // nothing else is stored
	return float64(total) / lasts.Seconds()
}

// run sends requests at a rate. It does not wait for responses before the next request.
func (t *mix) run(ctx context.Context, rate float64, lasts time.Duration) (all partOutcome) {
	began, interval := time.Now(), time.Duration(float64(time.Second)/rate)
	flying := make(chan struct{}, traffic.MaxInFlight)
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := func(send func() (count func())) {
		flying <- struct{}{}
		wg.Go(func() {
			defer func() { <-flying }()
			count := send()
			mu.Lock()
			defer mu.Unlock()
			count()
		})
	}
	for due := began; due.Sub(began) < lasts && ctx.Err() == nil; due = due.Add(interval) {
		<-time.After(time.Until(due)) // a ticker would leave out the requests that are late
		start(func() func() { return t.sendOrFail(ctx, &all) })
		if rand.IntN(100) < forwardShare {
			start(func() func() { return t.sendForward(ctx, &all) })
		}
	}
	wg.Wait()
	all.Lasted = time.Since(began)
	return all
}

// sendOrFail sends a request to a proxy. The returned function counts it.
func (t *mix) sendOrFail(ctx context.Context, all *partOutcome) (count func()) {
	if rand.IntN(100) < faultShare {
		t.fail(ctx)
		return func() { all.faulty++ }
	}
	took, err := t.send(ctx)
	return func() { all.Add(took, err) }
}

// sendForward sends a request to the ReverseProxy. The returned function counts it.
func (t *mix) sendForward(ctx context.Context, all *partOutcome) (count func()) {
	took, err := t.forward.Send(ctx, t.loads[rand.IntN(len(t.loads))])
	return func() { all.forwarded.Add(took, err) }
}

// send sends one request of a random kind to a random proxy.
func (t *mix) send(ctx context.Context) (traffic.Timing, error) {
	g, l := t.generators[rand.IntN(len(t.generators))], t.loads[rand.IntN(len(t.loads))]
	t.sent.Add(1)
	return g.Send(ctx, l)
}

// fail sends a request that is invalid, that the upstream rejects, or whose client disconnects.
func (t *mix) fail(ctx context.Context) {
	g := t.generators[rand.IntN(len(t.generators))]
	stream := traffic.Load{Bytes: traffic.ChatBytes, Stream: true, Paced: true}
	bodies := []string{`{"model":`, `{"model":"small",` + canned.FailMark + `,"messages":[{"role":"user","content":"hi"}]}`, stream.Body(rig.ModelChat)}
	kind := rand.IntN(len(bodies))
	conn, err := (&net.Dialer{Timeout: traffic.RequestTimeout}).DialContext(ctx, "tcp", g.Address)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(traffic.RequestTimeout))
	if _, err := conn.Write(g.Encode(stream, bodies[kind])); err != nil {
		return
	}
	t.sent.Add(1)
	_, _ = conn.Read(make([]byte, 1)) // the client of a stream disconnects after its first byte
}

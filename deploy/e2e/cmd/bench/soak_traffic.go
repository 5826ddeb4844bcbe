package main

import (
	"context"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// faultShare is the share of requests that fail on purpose, in percent.
const faultShare = 3

// soakTraffic sends requests of all protocols.
type soakTraffic struct {
	// generators has one per proxy and requested model.
	generators []*generator
	loads      []load
}

// partOutcome holds the results of one part. faulty counts the requests that failed on purpose.
type partOutcome struct {
	outcome
	faulty int
}

func newSoakTraffic(box *signalbox) *soakTraffic {
	t := &soakTraffic{loads: slices.DeleteFunc(allLoads(), func(l load) bool { return l.rate > 0 || l.bytes > agentBytes })}
	for _, edge := range box.edges {
		for _, model := range []string{modelChat, nameOrdered, nameAuto} {
			t.generators = append(t.generators, &generator{address: edge, path: "/proxy/v1", key: box.key, chat: model, embed: modelEmbed})
		}
	}
	return t
}

// measureCapacity returns how many requests of the mix are served per second at most.
func (t *soakTraffic) measureCapacity(ctx context.Context) float64 {
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
func (t *soakTraffic) run(ctx context.Context, rate float64, lasts time.Duration) (all partOutcome) {
	began := time.Now()
	tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer tick.Stop()
	flying := make(chan struct{}, maxInFlight)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for time.Since(began) < lasts && ctx.Err() == nil {
		<-tick.C
		flying <- struct{}{}
		wg.Go(func() {
			defer func() { <-flying }()
			if rand.IntN(100) < faultShare {
				t.fail(ctx)
				mu.Lock()
				all.faulty++
				mu.Unlock()
				return
			}
			took, err := t.send(ctx)
			mu.Lock()
			defer mu.Unlock()
			all.add(took, err)
		})
	}
	wg.Wait()
	all.lasted = time.Since(began)
	return all
}

// send sends one request of a random kind to a random proxy.
func (t *soakTraffic) send(ctx context.Context) (timing, error) {
	g, l := t.generators[rand.IntN(len(t.generators))], t.loads[rand.IntN(len(t.loads))]
	model := g.chat
	if l.vector {
		model = g.embed
	}
	c := g.takeClient()
	defer g.returnClient(c)
	return c.do(ctx, encodeRequest(g.address, l.endpoint(g.path), g.key, "", l.body(model)), l.stream)
}

// fail sends a request that is invalid, that the upstream rejects, or whose client disconnects.
func (t *soakTraffic) fail(ctx context.Context) {
	g := t.generators[rand.IntN(len(t.generators))]
	stream := load{bytes: chatBytes, stream: true, paced: true}
	bodies := []string{`{"model":`, `{"model":"small",` + canned.FailMark + `,"messages":[{"role":"user","content":"hi"}]}`, stream.body(modelChat)}
	kind := rand.IntN(len(bodies))
	request := encodeRequest(g.address, stream.endpoint(g.path), g.key, "", bodies[kind])
	conn, err := (&net.Dialer{Timeout: requestTimeout}).DialContext(ctx, "tcp", g.address)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(requestTimeout))
	if _, err := conn.Write(request); err != nil {
		return
	}
	_, _ = conn.Read(make([]byte, 1)) // the client of a stream disconnects after its first byte
}

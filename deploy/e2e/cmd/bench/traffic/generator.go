package traffic

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// MaxInFlight bounds the connections of a load with a rate if the peer cannot keep
// up.
const MaxInFlight = 512

// Generator puts loads on one peer.
type Generator struct {
	Address, Path, Key string
	// Header is a line that every request has in addition.
	Header string
	// Chat and Embed are the requested models.
	Chat, Embed string
	// answered counts the complete responses of all loads.
	answered int

	mu   sync.Mutex
	idle []*client
}

// Outcome holds the results of a load's requests.
type Outcome struct {
	Took     []Timing
	Failed   int
	FirstErr error // the first failure
	Lasted   time.Duration
}

// Add counts one response, or a failure if err is set.
func (o *Outcome) Add(t Timing, err error) {
	if err == nil {
		o.Took = append(o.Took, t)
		return
	}
	o.Failed++
	o.FirstErr = cmp.Or(o.FirstErr, err)
}

// Merge adds the requests of another outcome.
func (o *Outcome) Merge(other Outcome) {
	o.Took = append(o.Took, other.Took...)
	o.Failed += other.Failed
	o.FirstErr = cmp.Or(o.FirstErr, other.FirstErr)
}

// Run puts a load on the peer and waits for the last response.
func (g *Generator) Run(ctx context.Context, l Load, lasts time.Duration) Outcome {
	req := g.Encode(l, l.Body(g.modelOf(l)))
	began := time.Now()
	var o Outcome
	if l.Rate > 0 {
		o = g.runOpenLoop(ctx, l, req, lasts)
	} else {
		o = g.runClosedLoop(ctx, l, req, lasts)
	}
	o.Lasted = time.Since(began)
	g.answered += len(o.Took)
	return o
}

// Send sends one request of a load.
func (g *Generator) Send(ctx context.Context, l Load) (Timing, error) {
	c := g.takeClient()
	defer g.returnClient(c)
	return c.do(ctx, g.Encode(l, l.Body(g.modelOf(l))), l.Stream)
}

// Encode returns the bytes of a request to the endpoint of a load.
func (g *Generator) Encode(l Load, body string) []byte {
	return encodeRequest(g.Address, l.endpoint(g.Path), g.Key, g.Header, body)
}

func (g *Generator) modelOf(l Load) string {
	if l.Vector {
		return g.Embed
	}
	return g.Chat
}

// runClosedLoop keeps a number of clients busy. Each sends at least one request.
func (g *Generator) runClosedLoop(ctx context.Context, l Load, req []byte, lasts time.Duration) Outcome {
	until := time.Now().Add(lasts)
	parts := make([]Outcome, l.Clients)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			c := g.takeClient()
			defer g.returnClient(c)
			for first := true; ctx.Err() == nil && (first || time.Now().Before(until)); first = false {
				parts[i].Add(c.do(ctx, req, l.Stream))
			}
		})
	}
	wg.Wait()
	var all Outcome
	for _, p := range parts {
		all.Merge(p)
	}
	return all
}

// runOpenLoop starts requests at a rate. A slow response delays other requests only if
// MaxInFlight requests are in flight.
func (g *Generator) runOpenLoop(ctx context.Context, l Load, req []byte, lasts time.Duration) Outcome {
	tick := time.NewTicker(time.Second / time.Duration(l.Rate))
	defer tick.Stop()
	flying := make(chan struct{}, MaxInFlight)
	var (
		all Outcome
		mu  sync.Mutex
		wg  sync.WaitGroup
	)
	for range int(lasts.Seconds() * float64(l.Rate)) {
		<-tick.C
		if ctx.Err() != nil {
			break
		}
		flying <- struct{}{}
		wg.Go(func() {
			c := g.takeClient()
			t, err := c.do(ctx, req, l.Stream)
			g.returnClient(c)
			<-flying
			mu.Lock()
			defer mu.Unlock()
			all.Add(t, err)
		})
	}
	wg.Wait()
	return all
}

// maxIdle is how long a connection is kept for the next request. Load balancers close idle
// connections after a similar time. A request on a connection that the peer closes would fail.
const maxIdle = 30 * time.Second

// takeClient returns the connection used last. It closes that one and all others if they were idle
// for too long.
func (g *Generator) takeClient() *client {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.idle)
	if n > 0 && time.Since(g.idle[n-1].idleSince) > maxIdle {
		g.closeIdle()
		n = 0
	}
	if n == 0 {
		return &client{address: g.Address}
	}
	c := g.idle[n-1]
	g.idle = g.idle[:n-1]
	return c
}

func (g *Generator) returnClient(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.idleSince = time.Now()
	g.idle = append(g.idle, c)
}

// closeIdle closes the connections that no request uses.
func (g *Generator) closeIdle() {
	for _, c := range g.idle {
		c.close()
	}
	g.idle = nil
}

// Close closes the connections.
func (g *Generator) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closeIdle()
}

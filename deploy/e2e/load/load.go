package load

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// maxInFlight limits the concurrent requests if the gateway cannot keep up.
const maxInFlight = 1024

// Target is the gateway to load and the keys to use.
type Target struct {
	// Base is called for every request, because a restarted gateway may have
	// another address.
	Base func() string
	Keys []string
	// Prompt is the length of the prompts in bytes; 0 means about 1200.
	Prompt int
}

// Load is running traffic.
type Load struct {
	stop     context.CancelFunc
	stopped  chan struct{}
	inFlight chan struct{}
	client   *Client
	retries  *retrier

	mu        sync.Mutex
	entries   []reconcile.Request
	successes int
}

// Start sends about rate requests per second until Stop is called. The same seed with
// another run number gives other requests.
func Start(to Target, seed, run uint64, rate int) *Load {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Load{stop: cancel, stopped: make(chan struct{}), inFlight: make(chan struct{}, maxInFlight), client: NewClient(), retries: &retrier{}}
	go l.run(ctx, to, rand.New(rand.NewPCG(seed, run)), run, rate)
	return l
}

func (l *Load) run(ctx context.Context, to Target, rng *rand.Rand, run uint64, rate int) {
	defer close(l.stopped)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		e := randomRequest(rng, Mark(run, n), cmp.Or(to.Prompt, promptBytes))
		// Began is set before Base is called, because Base may wait for a restart.
		e.Entry.Began = time.Now()
		e.Base, e.Key = to.Base(), to.Keys[rng.IntN(len(to.Keys))]
		l.inFlight <- struct{}{}
		wg.Go(func() {
			// Started requests always finish, so that every request has an entry.
			l.addEntry(l.retries.do(context.WithoutCancel(ctx), l.client, e))
			<-l.inFlight
		})
	}
}

func (l *Load) addEntry(line reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, line)
	if line.Complete && line.Status == line.Want {
		l.successes++
	}
}

// RetryConnections makes clients retry requests that got no response, or stops it. It returns how
// many were retried since the last call.
func (l *Load) RetryConnections(yes bool) int { return l.retries.set(yes) }

// SuccessCount returns the number of requests that got the expected response so
// far.
func (l *Load) SuccessCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.successes
}

// Stop starts no more requests, waits for those in flight and returns all entries.
func (l *Load) Stop() []reconcile.Request {
	l.stop()
	<-l.stopped
	return l.entries
}

package load

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

// maxFlying bounds what is under way, should the gateway not keep up.
const maxFlying = 1024

// Target is where requests go, with whose keys.
type Target struct {
	// Base is asked for every request: a gateway may come back elsewhere.
	Base func() string
	Keys []string
	// Prompt is how long the prompts are, in bytes; 0 means some 1200.
	Prompt int
}

// Load is traffic that runs.
type Load struct {
	stop   context.CancelFunc
	ended  chan struct{}
	flying chan struct{}
	client *Client

	mu    sync.Mutex
	lines []book.Request
	good  int
}

// Start begins so many requests a second, until Stop. Runs of one seed with
// different numbers differ.
func Start(to Target, seed, run uint64, rate int) *Load {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Load{stop: cancel, ended: make(chan struct{}), flying: make(chan struct{}, maxFlying), client: NewClient()}
	go l.run(ctx, to, rand.New(rand.NewPCG(seed, run)), run, rate)
	return l
}

func (l *Load) run(ctx context.Context, to Target, rng *rand.Rand, run uint64, rate int) {
	defer close(l.ended)
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
		e := errand(rng, Mark(run, n), cmp.Or(to.Prompt, promptBytes))
		// Whoever asks where to go has begun.
		e.Line.Began = time.Now()
		e.Base, e.Key = to.Base(), to.Keys[rng.IntN(len(to.Keys))]
		l.flying <- struct{}{}
		wg.Go(func() {
			// Whatever has begun is waited for, so that the book is whole.
			l.note(l.client.Do(context.WithoutCancel(ctx), e))
			<-l.flying
		})
	}
}

func (l *Load) note(line book.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if line.Whole && line.Status == line.Want {
		l.good++
	}
}

// Good is how many requests were answered as they should so far.
func (l *Load) Good() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good
}

// Stop begins no more requests, waits for those under way and returns the book.
func (l *Load) Stop() []book.Request {
	l.stop()
	<-l.ended
	return l.lines
}

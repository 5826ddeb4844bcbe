package load

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// markPattern matches the mark of a request in its prompt.
var markPattern = regexp.MustCompile(`mark-[0-9a-f]+-[0-9]+`)

// Provider serves two upstreams of the OpenAI-compatible format and records every
// call.
type Provider struct {
	*httptest.Server
	// Prices are the random prices that Policy contains.
	Prices map[string]reconcile.Price

	seed uint64

	mu         sync.Mutex
	idle       *sync.Cond // signalled when busy drops to 0
	busy       int
	calls      []*reconcile.Call
	callCounts map[string]int
}

// NewProvider starts a provider on loopback; Close stops it.
func NewProvider(seed uint64) *Provider {
	p := newProvider(seed)
	p.Start()
	return p
}

// NewProviderAt starts a provider on an address, for gateways that cannot reach loopback.
func NewProviderAt(seed uint64, lis net.Listener) *Provider {
	p := newProvider(seed)
	_ = p.Listener.Close()
	p.Listener = lis
	p.Start()
	return p
}

func newProvider(seed uint64) *Provider {
	p := &Provider{seed: seed, callCounts: map[string]int{}, Prices: randomPrices(rand.New(rand.NewPCG(seed, 0)))}
	p.idle = sync.NewCond(&p.mu)
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	return p
}

// Calls returns all calls in the order of arrival. It waits until no call is in
// progress.
func (p *Provider) Calls() []reconcile.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitIdle()
	var all []reconcile.Call
	for _, c := range p.calls {
		call := *c
		call.Reported = slices.Clone(c.Reported)
		all = append(all, call)
	}
	return all
}

// HasReceived reports whether a request with the mark has arrived.
func (p *Provider) HasReceived(mark string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.callCounts[mark] > 0
}

// Reset deletes all recorded calls.
func (p *Provider) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitIdle()
	p.calls, p.callCounts = nil, map[string]int{}
}

// waitIdle waits until no call is in progress. The caller must hold mu.
func (p *Provider) waitIdle() {
	for p.busy > 0 {
		p.idle.Wait()
	}
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	p.withLock(func() { p.busy++ })
	defer p.withLock(func() {
		p.busy--
		p.idle.Broadcast()
	})
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller disconnected before the call was complete
	}
	call, nth := p.recordCall(r.URL.Path, string(body))
	a := &responder{w: w, r: r, call: call, p: p, rng: p.randomFor(call.Mark, nth), nth: nth, body: string(body)}
	a.respond()
}

// recordCall adds a call and returns its entry and its number among the calls of
// the same request, starting at 1.
func (p *Provider) recordCall(path, body string) (*reconcile.Call, int) {
	provider, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	c := &reconcile.Call{Mark: markPattern.FindString(body), Provider: provider, Model: parseModel(body), Status: http.StatusOK}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, c)
	p.callCounts[c.Mark]++
	return c, p.callCounts[c.Mark]
}

var modelPattern = regexp.MustCompile(`"model":"([a-z]+)"`)

func parseModel(body string) string {
	if m := modelPattern.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// randomFor returns a generator that depends only on the seed and the call.
func (p *Provider) randomFor(mark string, nth int) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.WriteString(h, mark)
	return rand.New(rand.NewPCG(p.seed+uint64(nth), h.Sum64())) //nolint:gosec // a small count
}

// withLock runs do while holding mu.
func (p *Provider) withLock(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

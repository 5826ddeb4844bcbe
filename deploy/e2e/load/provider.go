package load

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

// markPattern finds a request's mark in its prompt.
var markPattern = regexp.MustCompile(`mark-[0-9a-f]+-[0-9]+`)

// Provider is two upstreams of the OpenAI-compatible format in one server. It
// writes down every call.
type Provider struct {
	*httptest.Server
	// Prices are random, and those of the policy.
	Prices map[string]book.Price

	seed uint64

	mu    sync.Mutex
	idle  *sync.Cond // busy has become 0
	busy  int
	calls []*book.Call
	times map[string]int
}

// NewProvider starts one; Close ends it.
func NewProvider(seed uint64) *Provider {
	p := &Provider{seed: seed, times: map[string]int{}, Prices: randomPrices(rand.New(rand.NewPCG(seed, 0)))}
	p.idle = sync.NewCond(&p.mu)
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	return p
}

// Calls are all so far, in the order in which they came. It waits for those
// that are being answered.
func (p *Provider) Calls() []book.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest()
	var all []book.Call
	for _, c := range p.calls {
		call := *c
		call.Reported = slices.Clone(c.Reported)
		all = append(all, call)
	}
	return all
}

// Sees tells whether a request has arrived.
func (p *Provider) Sees(mark string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.times[mark] > 0
}

// Forget empties the book.
func (p *Provider) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest()
	p.calls, p.times = nil, map[string]int{}
}

// rest waits until nobody is being answered.
func (p *Provider) rest() {
	for p.busy > 0 {
		p.idle.Wait()
	}
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	p.change(func() { p.busy++ })
	defer p.change(func() {
		p.busy--
		p.idle.Broadcast()
	})
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // The call was cut off before it was one.
	}
	call, nth := p.note(r.URL.Path, string(body))
	a := &answer{w: w, r: r, call: call, p: p, rng: p.dice(call.Mark, nth), nth: nth, body: string(body)}
	a.play()
}

// note begins a line of the book; nth is the how manieth call of its request
// it is.
func (p *Provider) note(path, body string) (*book.Call, int) {
	provider, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	c := &book.Call{Mark: markPattern.FindString(body), Provider: provider, Model: modelOf(body), Status: http.StatusOK}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, c)
	p.times[c.Mark]++
	return c, p.times[c.Mark]
}

var modelPattern = regexp.MustCompile(`"model":"([a-z]+)"`)

func modelOf(body string) string {
	if m := modelPattern.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

// dice are the same for the same call in every run of a seed.
func (p *Provider) dice(mark string, nth int) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.WriteString(h, mark)
	return rand.New(rand.NewPCG(p.seed+uint64(nth), h.Sum64())) //nolint:gosec // a small count
}

// change is how a handler writes to its line.
func (p *Provider) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

// Package keypool selects one of a provider's credentials for each call. A Pool
// distributes calls by weight (smooth weighted round robin) and skips keys that
// the upstream rejects or rate-limits at the moment. Package upstream calls
// SelectKey before every call and ReportResult after it. Package dispatch decides
// whether a call is made again with another key.
//
// A rejected key is suspended for a minute. Each further rejection doubles the suspension,
// up to an hour. When the suspension ends, one call probes the key: it tests whether the
// upstream accepts the key again. A rate-limited key pauses for the delay that the upstream
// requested, at most five minutes. The package makes no calls itself.
package keypool

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
)

// maxKeys is the number of keys that fit into a KeySet.
const maxKeys = 64

// Key is one credential.
type Key struct {
	// Name identifies the key to users who may see the policy. It is not secret.
	Name   string
	Secret config.Secret
	// Weight is the key's share of the calls, relative to the other keys. Zero counts
	// as 1.
	Weight int
}

// Pool holds the credentials of one provider. It is safe for concurrent use.
type Pool struct {
	keys []Key
	// holdCount is the number of holds of all keys. While it is zero, ReportResult needs
	// no lock for successful calls.
	holdCount atomic.Int64

	mu     sync.Mutex
	states []keyState
}

// keyState is the state of one key, guarded by Pool.mu.
type keyState struct {
	// currentWeight is the key's score in smooth weighted round robin.
	currentWeight int
	holds         map[string]hold
}

// New returns a pool of 1 to 64 keys. It fails if a key is empty or has a negative
// weight.
func New(keys ...Key) (*Pool, error) {
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil, fmt.Errorf("a pool needs 1 to %d keys, got %d", maxKeys, len(keys))
	}
	p := &Pool{states: make([]keyState, len(keys))}
	for _, k := range keys {
		if k.Secret == "" {
			return nil, errors.New("key " + k.Name + " is empty")
		}
		if k.Weight < 0 {
			return nil, fmt.Errorf("key %s: weight %d is negative", k.Name, k.Weight)
		}
		k.Weight = cmp.Or(k.Weight, 1)
		p.keys = append(p.keys, k)
	}
	return p, nil
}

// Keys returns the keys of the pool. Selection.KeyIndex refers to this order.
func (p *Pool) Keys() []Key { return p.keys }

// KeySet is a set of key indexes.
type KeySet uint64

// With returns the set with one more key.
func (t KeySet) With(key int) KeySet { return t | 1<<key }

// AllExcept returns the set of all keys but one. If it is passed as the tried keys, only this key
// can be selected.
func AllExcept(key int) KeySet { return ^(KeySet(1) << key) }

func (t KeySet) contains(key int) bool { return t&(1<<key) != 0 }

// Selection is one call with a selected key. StartedAt is the time just before the key
// was selected. A success of the call removes only holds that were set before this time.
type Selection struct {
	KeyIndex  int
	Model     string
	StartedAt time.Time
}

// HasAvailableKey reports whether SelectKey would find a key now.
func (p *Pool) HasAvailableKey(model string, tried KeySet) bool {
	if len(p.keys) == 1 {
		return !tried.contains(0)
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.keys {
		if !tried.contains(i) && p.states[i].isAvailable(model, now) {
			return true
		}
	}
	return false
}

// SelectKey selects a key for a call to the model. It skips the keys in tried. ok is
// false if no key is available. After the call, the caller must pass the selection to
// ReportResult.
//
// A pool with a single key ignores holds. There is no alternative, and the upstream may
// accept the key again at any time.
func (p *Pool) SelectKey(model string, tried KeySet) (sel Selection, ok bool) {
	now := time.Now()
	sel = Selection{Model: model, StartedAt: now}
	if len(p.keys) == 1 {
		return sel, !tried.contains(0)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	best, total := -1, 0
	for i := range p.keys {
		if tried.contains(i) || !p.states[i].isAvailable(model, now) {
			continue
		}
		s := &p.states[i]
		s.currentWeight += p.keys[i].Weight
		total += p.keys[i].Weight
		if best < 0 || s.currentWeight > p.states[best].currentWeight {
			best = i
		}
	}
	if best < 0 {
		return sel, false
	}
	p.states[best].currentWeight -= total
	p.states[best].startProbes(model)
	sel.KeyIndex = best
	return sel, true
}

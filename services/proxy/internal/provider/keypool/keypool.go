// Package keypool chooses between the credentials of one provider: by weight,
// and past those that the upstream refuses or limits at the moment. Adapters'
// HTTP half asks it before every call and tells it how the call went. It knows
// neither HTTP nor errors, makes no call, and shows names, never secrets.
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

// maxKeys is as many as Tried can name.
const maxKeys = 64

// Key is one credential.
type Key struct {
	// Name may be shown to anybody who may see the policy.
	Name   string
	Secret config.Secret
	// Weight is its share of the calls; 0 counts as 1.
	Weight int
}

// Pool is the credentials of one provider. It is safe for concurrent use.
type Pool struct {
	keys []Key
	// held counts the holds of all keys: while there are none, which is
	// nearly always, a call that went well has nothing to tell.
	held atomic.Int64

	mu     sync.Mutex
	states []state
}

// state is what is known of a key.
type state struct {
	// turn is the key's place in smooth weighted round robin.
	turn  int
	holds map[string]hold
}

// New makes a pool. It fails without keys, with more than 64, with one that is
// empty and with a weight below 0.
func New(keys ...Key) (*Pool, error) {
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil, fmt.Errorf("a pool has 1 to %d keys, not %d", maxKeys, len(keys))
	}
	p := &Pool{states: make([]state, len(keys))}
	for _, k := range keys {
		if k.Secret == "" {
			return nil, errors.New("key " + k.Name + " is empty")
		}
		if k.Weight < 0 {
			return nil, fmt.Errorf("key %s: weight %d is below 0", k.Name, k.Weight)
		}
		k.Weight = cmp.Or(k.Weight, 1)
		p.keys = append(p.keys, k)
	}
	return p, nil
}

// Keys are those of the pool, in the order of their indices.
func (p *Pool) Keys() []Key { return p.keys }

// Tried are keys that a request has used, by index.
type Tried uint64

// And is the set with one more.
func (t Tried) And(key int) Tried { return t | 1<<key }

func (t Tried) has(key int) bool { return t&(1<<key) != 0 }

// Use is one call with a key, by index. Began is from before the key was taken:
// what a call says of its key counts for less when more is known since.
type Use struct {
	Key   int
	Model string
	Began time.Time
}

// Take chooses the key for a call about a model, none of those tried. It is
// false when no other key may serve. Whoever takes a key reports on it.
//
// A lone key is always given while it was not tried: there is nothing to turn
// to, and the upstream knows better than our memory whether it has forgiven.
func (p *Pool) Take(model string, tried Tried) (use Use, ok bool) {
	now := time.Now()
	use = Use{Model: model, Began: now}
	if len(p.keys) == 1 {
		return use, !tried.has(0)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	best, total := -1, 0
	for i := range p.keys {
		if tried.has(i) || !p.states[i].free(model, now) {
			continue
		}
		s := &p.states[i]
		s.turn += p.keys[i].Weight
		total += p.keys[i].Weight
		if best < 0 || s.turn > p.states[best].turn {
			best = i
		}
	}
	if best < 0 {
		return use, false
	}
	p.states[best].turn -= total
	p.states[best].probe(model)
	use.Key = best
	return use, true
}

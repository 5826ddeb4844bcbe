package keys

import "sync"

// Running knows the requests in progress of every key, so that they can be ended when the key is
// revoked. The zero value is ready for use. It is safe for concurrent use.
type Running struct {
	mu    sync.Mutex
	byKey map[string]map[*runningRequest]struct{}
}

type runningRequest struct{ end func() }

// Add adds a request. end ends it; it must be fast and must not use the cache. The caller must call
// remove when the request is done. A key that was revoked before Add is not noticed.
func (r *Running) Add(keyID string, end func()) (remove func()) {
	one := &runningRequest{end}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[string]map[*runningRequest]struct{}{}
	}
	if r.byKey[keyID] == nil {
		r.byKey[keyID] = map[*runningRequest]struct{}{}
	}
	r.byKey[keyID][one] = struct{}{}
	return func() { r.remove(keyID, one) }
}

func (r *Running) remove(keyID string, one *runningRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byKey[keyID], one)
	if len(r.byKey[keyID]) == 0 {
		delete(r.byKey, keyID)
	}
}

// EndRevoked ends the requests of a key that has changed, if the key is now revoked.
func (r *Running) EndRevoked(k Known) {
	if k.Principal == nil || k.Principal.Active {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.byKey[k.Principal.KeyID] {
		one.end()
	}
}

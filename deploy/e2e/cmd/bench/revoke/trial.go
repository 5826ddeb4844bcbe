package revoke

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// warmUses is the number of accepted requests on each proxy before the key is revoked.
const warmUses = 3

// keyTimeline holds the times of a key's requests on one proxy.
type keyTimeline struct {
	// works is when the first request was accepted.
	works time.Time
	// lastSent is when the last accepted request was sent, and last when its response
	// arrived. refused is when the first rejection after that arrived.
	lastSent, last, refused time.Time
	err                     error
}

// runTrial creates a key, uses it on every proxy, revokes it, and uses it until every
// proxy rejects it.
func (r *keyRun) runTrial(ctx context.Context) (made, revoked time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	key, err := r.box.CreateKey(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	madeAt := time.Now()
	warm := make(chan struct{}, len(r.box.Edges))
	results := make(chan keyTimeline, len(r.box.Edges))
	for _, edge := range r.box.Edges {
		go func() { results <- useUntilRejected(ctx, edge, key.Secret, func() { warm <- struct{}{} }) }()
	}
	for range r.box.Edges {
		select {
		case <-warm:
		case <-ctx.Done():
			return 0, 0, fmt.Errorf("wait until every proxy accepts the key: %w", ctx.Err())
		}
	}
	if err := r.box.Call(ctx, http.MethodDelete, "/keys/"+key.ID, nil, nil); err != nil {
		return 0, 0, err
	}
	revokedAt := time.Now()
	for range r.box.Edges {
		s := <-results
		err = errors.Join(err, s.err)
		made, revoked = max(made, s.works.Sub(madeAt)), max(revoked, s.last.Sub(revokedAt))
	}
	return made, revoked, err
}

// useUntilRejected sends requests one after the other until a proxy that accepted the
// key rejects it. It calls warm after warmUses accepted requests.
func useUntilRejected(ctx context.Context, edge, key string, warm func()) keyTimeline {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var s keyTimeline
	for accepted := 0; ; {
		sent := time.Now()
		status, err := sendChat(ctx, client, edge, key)
		now := time.Now()
		switch {
		case err != nil:
			s.err = err
			return s
		case status == http.StatusOK:
			if accepted++; accepted == 1 {
				s.works = now
			}
			if accepted == warmUses {
				warm()
			}
			s.lastSent, s.last = sent, now
		case status == http.StatusUnauthorized && accepted > 0:
			s.refused = now
			return s
		}
	}
}

// expiryTimes holds one duration for each key and proxy in every list.
type expiryTimes struct {
	// late is how long after its expiry the key was still accepted.
	late []time.Duration
	// early is how long before its expiry the key was rejected.
	early []time.Duration
	// refused is how long after its expiry the first rejection arrived.
	refused []time.Duration
}

// measureExpiry uses keys until they expire.
func (r *keyRun) measureExpiry(ctx context.Context) (e expiryTimes, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range expiryTrials {
		end := time.Now().Add(expiryAfter)
		key, failed := r.box.CreateKey(ctx, &end)
		if failed != nil {
			err = errors.Join(err, failed)
			break
		}
		for _, edge := range r.box.Edges {
			wg.Go(func() {
				s := useUntilRejected(ctx, edge, key.Secret, func() {})
				mu.Lock()
				defer mu.Unlock()
				err = errors.Join(err, s.err)
				e.late = append(e.late, max(0, s.lastSent.Sub(end)))
				e.early = append(e.early, max(0, end.Sub(s.refused)))
				e.refused = append(e.refused, max(0, s.refused.Sub(end)))
			})
		}
	}
	wg.Wait()
	return e, err
}

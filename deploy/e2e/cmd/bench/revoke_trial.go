package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// warmUses is how often a key is accepted by each proxy before it is revoked.
const warmUses = 3

// seen is what a key met with at one proxy.
type seen struct {
	// works is when its first acceptance was answered.
	works time.Time
	// lastSent and last are when the last accepted request was sent and
	// answered; refused is when the first refusal after it was.
	lastSent, last, refused time.Time
	err                     error
}

// trial makes a key, uses it at every proxy, revokes it and uses it until it is
// refused everywhere.
func (r *keyRun) trial(ctx context.Context) (made, revoked time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	key, err := r.makeKey(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	madeAt := time.Now()
	warm := make(chan struct{}, len(r.box.edges))
	results := make(chan seen, len(r.box.edges))
	for _, edge := range r.box.edges {
		go func() { results <- use(ctx, edge, key.Key, func() { warm <- struct{}{} }) }()
	}
	for range r.box.edges {
		select {
		case <-warm:
		case <-ctx.Done():
			return 0, 0, fmt.Errorf("the key does not work: %w", ctx.Err())
		}
	}
	if err := r.box.call(ctx, http.MethodDelete, "/keys/"+key.ID, nil, nil); err != nil {
		return 0, 0, err
	}
	revokedAt := time.Now()
	for range r.box.edges {
		s := <-results
		err = errors.Join(err, s.err)
		made, revoked = max(made, s.works.Sub(madeAt)), max(revoked, s.last.Sub(revokedAt))
	}
	return made, revoked, err
}

// use sends requests with a key, one after the other, until one is refused that
// was accepted before. It calls warm once the key has been used for a while.
func use(ctx context.Context, edge, key string, warm func()) seen {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var s seen
	for accepted := 0; ; {
		sent := time.Now()
		status, err := ask(ctx, client, edge, key)
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

// endings are by how much keys were accepted after their end and refused before
// it, and how long after it they were first refused, at each proxy.
type endings struct{ late, early, refused []time.Duration }

// expiry uses keys until they end.
func (r *keyRun) expiry(ctx context.Context) (e endings, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range expiryTrials {
		end := time.Now().Add(expiryAfter)
		key, failed := r.makeKey(ctx, &end)
		if failed != nil {
			err = errors.Join(err, failed)
			break
		}
		for _, edge := range r.box.edges {
			wg.Go(func() {
				s := use(ctx, edge, key.Key, func() {})
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

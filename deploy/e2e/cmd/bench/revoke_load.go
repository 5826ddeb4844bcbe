package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// loadWorkers with one request each loadEvery are 200 requests a second on
	// every proxy.
	loadWorkers = 8
	loadEvery   = 40 * time.Millisecond
)

// keyLoad is what other keys do while one is watched.
type keyLoad struct {
	began, ended     time.Time
	answered, failed atomic.Int64
	stop             func()
}

// startLoad puts the load on every proxy, each worker with a key of its own.
func (r *keyRun) startLoad(ctx context.Context) (*keyLoad, error) {
	l := &keyLoad{began: time.Now()}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	l.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		l.ended = time.Now()
	})
	for _, edge := range r.box.edges {
		for range loadWorkers {
			key, err := r.makeKey(ctx, nil)
			if err != nil {
				l.stop()
				return nil, err
			}
			wg.Go(func() { l.work(ctx, edge, key.Key) })
		}
	}
	return l, nil
}

func (l *keyLoad) work(ctx context.Context, edge, key string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(loadEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		status, err := ask(ctx, client, edge, key)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil || status != http.StatusOK:
			l.failed.Add(1)
		default:
			l.answered.Add(1)
		}
	}
}

// rate is requests a second, of all proxies together.
func (l *keyLoad) rate() float64 {
	return float64(l.answered.Load()) / l.ended.Sub(l.began).Seconds()
}

// ask sends a short chat and returns the status of the answer.
func ask(ctx context.Context, client *http.Client, edge, key string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	body := strings.NewReader(`{"model":"` + modelChat + `","messages":[{"role":"user","content":"hi"}]}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+edge+"/proxy/v1/chat/completions", body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

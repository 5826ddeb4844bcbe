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
	// Each proxy has loadWorkers workers. Each worker sends a request every loadEvery. This
	// gives about 200 requests per second on every proxy.
	loadWorkers = 8
	loadEvery   = 40 * time.Millisecond
)

// keyLoad is the traffic of other keys during the trials.
type keyLoad struct {
	began, ended     time.Time
	answered, failed atomic.Int64
	stop             func()
}

// startLoad puts the load on every proxy. Each worker has its own key.
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
			key, err := r.createKey(ctx, nil)
			if err != nil {
				l.stop()
				return nil, err
			}
			wg.Go(func() { l.sendRequests(ctx, edge, key.Key) })
		}
	}
	return l, nil
}

func (l *keyLoad) sendRequests(ctx context.Context, edge, key string) {
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
		status, err := sendChat(ctx, client, edge, key)
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

// rate returns the successful requests per second of all proxies together.
func (l *keyLoad) rate() float64 {
	return float64(l.answered.Load()) / l.ended.Sub(l.began).Seconds()
}

// sendChat sends a short chat request and returns the status.
func sendChat(ctx context.Context, client *http.Client, edge, key string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	res, err := postChat(ctx, client, edge, key, `{"model":"`+modelChat+`","messages":[{"role":"user","content":"hi"}]}`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

func postChat(ctx context.Context, client *http.Client, edge, key, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+edge+"/proxy/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return client.Do(req)
}

package revoke

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
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
	for _, edge := range r.box.Edges {
		for range loadWorkers {
			key, err := r.box.CreateKey(ctx, nil)
			if err != nil {
				l.stop()
				return nil, err
			}
			wg.Go(func() { l.sendRequests(ctx, edge, key.Secret) })
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
	ctx, cancel := context.WithTimeout(ctx, traffic.RequestTimeout)
	defer cancel()
	res, err := traffic.PostChat(ctx, client, edge, key, `{"model":"`+rig.ModelChat+`","messages":[{"role":"user","content":"hi"}]}`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// probeInterval limits how long a draining proxy still gets connections. A proxy that
	// refuses a connection gets none at once.
	probeInterval = 250 * time.Millisecond
	dialTimeout   = time.Second
)

// balancer spreads connections over the ready proxies. It forwards TCP and does
// not parse HTTP. A draining proxy keeps its connections and gets no new ones, so
// running streams are not interrupted.
type balancer struct {
	lis         net.Listener
	backends    []*backend
	nextBackend atomic.Uint64
	wg          sync.WaitGroup
}

type backend struct {
	addr     string
	readyURL string
	isReady  atomic.Bool
}

func newBalancer() (*balancer, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	return &balancer{lis: lis}, err
}

func (b *balancer) addBackend(addr, readyURL string) {
	b.backends = append(b.backends, &backend{addr: addr, readyURL: readyURL})
}

func (b *balancer) url() string { return "http://" + b.lis.Addr().String() }

// run accepts connections until ctx ends.
func (b *balancer) run(ctx context.Context) {
	for _, p := range b.backends {
		b.wg.Go(func() { p.watchReadiness(ctx) })
	}
	b.wg.Go(func() {
		<-ctx.Done()
		_ = b.lis.Close()
	})
	b.wg.Go(func() {
		for {
			conn, err := b.lis.Accept()
			if err != nil {
				return
			}
			go b.forward(conn)
		}
	})
}

func (p *backend) watchReadiness(ctx context.Context) {
	client := &http.Client{Timeout: dialTimeout}
	for ctx.Err() == nil {
		p.isReady.Store(respondsOK(client, p.readyURL))
		select {
		case <-time.After(probeInterval):
		case <-ctx.Done():
		}
	}
}

// forward connects a client to a ready proxy and skips proxies that refuse the connection. If
// no proxy is known to be ready, it tries all of them, because a probe may be late on a
// busy machine.
func (b *balancer) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	turn, n := b.nextBackend.Add(1), uint64(len(b.backends))
	for i := range 2 * n {
		p := b.backends[(turn+i)%n]
		if i < n && !p.isReady.Load() {
			continue
		}
		proxy, err := net.DialTimeout("tcp", p.addr, dialTimeout)
		if err != nil {
			p.isReady.Store(false)
			continue
		}
		copyBothWays(client, proxy)
		return
	}
}

// copyBothWays copies in both directions until both sides have closed.
func copyBothWays(a, b net.Conn) {
	defer func() { _ = b.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(b, a)
		_ = b.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(a, b)
	_ = a.(*net.TCPConn).CloseWrite()
	_ = a.SetReadDeadline(time.Now().Add(dialTimeout))
	<-done
}

// respondsOK reports whether a GET returns status 200.
func respondsOK(client *http.Client, url string) bool {
	res, err := client.Get(url)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

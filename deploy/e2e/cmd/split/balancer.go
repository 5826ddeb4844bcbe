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
	// probeEvery is how soon a proxy that drains or died is left out.
	probeEvery = 100 * time.Millisecond
	dialLimit  = time.Second
)

// balancer spreads connections over the proxies that are ready. It works on
// connections and never looks into them, so a stream that runs is never
// touched: a proxy that drains keeps those it has and gets no new ones.
type balancer struct {
	lis   net.Listener
	peers []*peer
	turn  atomic.Uint64
	wg    sync.WaitGroup
}

type peer struct {
	addr  string
	ready string
	up    atomic.Bool
}

func newBalancer() (*balancer, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	return &balancer{lis: lis}, err
}

func (b *balancer) add(addr, readyURL string) {
	b.peers = append(b.peers, &peer{addr: addr, ready: readyURL})
}

func (b *balancer) url() string { return "http://" + b.lis.Addr().String() }

// run takes connections until ctx ends.
func (b *balancer) run(ctx context.Context) {
	for _, p := range b.peers {
		b.wg.Go(func() { p.watch(ctx) })
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
			go b.carry(conn)
		}
	})
}

func (p *peer) watch(ctx context.Context) {
	client := &http.Client{Timeout: dialLimit}
	for ctx.Err() == nil {
		p.up.Store(answers(client, p.ready))
		select {
		case <-time.After(probeEvery):
		case <-ctx.Done():
		}
	}
}

// carry joins a client to a proxy; one that refuses is passed over. Where none
// is known to be ready, each is tried: a probe may be late on a busy machine.
func (b *balancer) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	turn, n := b.turn.Add(1), uint64(len(b.peers))
	for i := range 2 * n {
		p := b.peers[(turn+i)%n]
		if i < n && !p.up.Load() {
			continue
		}
		proxy, err := net.DialTimeout("tcp", p.addr, dialLimit)
		if err != nil {
			p.up.Store(false)
			continue
		}
		join(client, proxy)
		return
	}
}

// join copies both ways until both sides have said their last.
func join(a, b net.Conn) {
	defer func() { _ = b.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(b, a)
		_ = b.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(a, b)
	_ = a.(*net.TCPConn).CloseWrite()
	_ = a.SetReadDeadline(time.Now().Add(dialLimit))
	<-done
}

// answers reports whether a GET is answered with 200.
func answers(client *http.Client, url string) bool {
	res, err := client.Get(url)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

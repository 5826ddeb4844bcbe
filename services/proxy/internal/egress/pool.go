package egress

import (
	"slices"
	"sync"
	"time"
)

// pool holds idle connections. It hands out the most recently used connection first, so that
// connections that are not needed expire.
type pool struct {
	timeout time.Duration
	// trailingBytesTimeout is how long to wait for the remaining bytes of a response.
	trailingBytesTimeout time.Duration

	mu    sync.Mutex
	idle  map[string][]*conn
	count int
	sweep *time.Timer
}

// take returns an idle connection that is still usable, or nil.
func (p *pool) take(key string) *conn {
	for {
		c := p.pop(key)
		if c == nil || time.Since(c.idleSince) < p.timeout && c.isReusable() {
			return c
		}
		_ = c.Close()
	}
}

func (p *pool) pop(key string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	list[len(list)-1] = nil
	p.idle[key] = list[:len(list)-1]
	p.count--
	return c
}

func (p *pool) put(c *conn) {
	c.releaseReader()
	_ = c.SetDeadline(time.Time{})
	c.idleSince = time.Now()
	p.mu.Lock()
	full := p.count >= maxIdle
	if !full {
		p.idle[c.key] = append(p.idle[c.key], c)
		p.count++
		if p.sweep == nil {
			p.sweep = time.AfterFunc(p.timeout, p.expire)
		}
	}
	p.mu.Unlock()
	if full {
		_ = c.Close()
	}
}

// expire closes connections that were idle for too long. It runs again while any are left.
func (p *pool) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, list := range p.idle {
		p.idle[key] = slices.DeleteFunc(list, p.expired)
	}
	p.sweep = nil
	if p.count > 0 {
		p.sweep = time.AfterFunc(p.timeout/2, p.expire)
	}
}

func (p *pool) expired(c *conn) bool {
	if time.Since(c.idleSince) < p.timeout {
		return false
	}
	_ = c.Close()
	p.count--
	return true
}

// closeIdle closes the idle connections to one upstream.
func (p *pool) closeIdle(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle[key] {
		_ = c.Close()
	}
	p.count -= len(p.idle[key])
	delete(p.idle, key)
}

func (p *pool) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.idle {
		for _, c := range list {
			_ = c.Close()
		}
	}
	clear(p.idle)
	p.count = 0
}

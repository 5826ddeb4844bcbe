package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// connTable counts the open connections, in total and by client address. It also orders those that
// serve no request by the time for which they have waited. At the limit, a new connection replaces
// the oldest idle one, or else the oldest whose headers are late. So neither blocks other clients.
type connTable struct {
	max int // zero means no limit
	// open is the number of connections without the extra ones.
	open atomic.Int64

	mu     sync.Mutex
	extras int
	// heads contains the connections that have not completed their first request's headers, and idle
	// those between two requests. waitingExtras contains the extra connections of both kinds, because
	// their eviction frees only an extra slot. The oldest is first.
	heads, idle, waitingExtras list.List
	byAddr                     map[netip.Addr]int
}

// isNearlyFull reports whether more than 7/8 of the connections are open. Connections are then
// closed after each response, and headers must arrive sooner.
func (t *connTable) isNearlyFull() bool {
	return t.max > 0 && t.open.Load() > int64(t.max-t.max/8)
}

// add admits a new connection. It is an extra one if a limit is reached and no connection makes way.
// add returns false if no extra connection makes way either. The caller must then close the connection.
func (t *connTable) add(c *conn) bool {
	if t.max == 0 {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.isGreedyLocked(c.addr):
		c.extra = !t.evictLocked(c.addr)
	case t.open.Load() >= int64(t.max):
		c.extra = !t.evictLocked(netip.Addr{})
	}
	switch {
	case !c.extra:
		t.open.Add(1)
	case t.makeWayForExtraLocked(c):
		t.extras++
	default:
		return false
	}
	t.countLocked(c.addr, 1)
	c.accepted = time.Now()
	t.startWaitingLocked(c, &t.heads)
	return true
}

// makeWayForExtraLocked evicts the oldest extra connection that waits if the extra connections are
// used up. So silent connections keep no client from its error response.
func (t *connTable) makeWayForExtraLocked(c *conn) bool {
	limit := maxExtras(c)
	return t.extras < limit || t.extras == limit && t.evictOldestLocked(&t.waitingExtras, netip.Addr{}, 0)
}

// maxExtras is the number of extra connections. See extraConns.
func maxExtras(c *conn) int {
	if isLocal(c.RemoteAddr()) {
		return 2 * extraConns
	}
	return extraConns
}

// isGreedyLocked reports whether an address holds half of all connections or more while the table is
// nearly full. The remaining connections are for other addresses. The zero address is never greedy.
func (t *connTable) isGreedyLocked(addr netip.Addr) bool {
	return addr.IsValid() && t.isNearlyFull() && t.byAddr[addr] >= t.max/2
}

func (t *connTable) isGreedy(addr netip.Addr) bool {
	if !addr.IsValid() || !t.isNearlyFull() {
		return false // without the lock, as for nearly every request
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.isGreedyLocked(addr)
}

// count adds n to the connections of a client behind a trusted proxy.
func (t *connTable) count(addr netip.Addr, n int) {
	if t.max == 0 || !addr.IsValid() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.countLocked(addr, n)
}

// countLocked adds n to the connections of an address.
func (t *connTable) countLocked(addr netip.Addr, n int) {
	if !addr.IsValid() {
		return
	}
	if t.byAddr == nil {
		t.byAddr = map[netip.Addr]int{}
	}
	t.byAddr[addr] += n
	if t.byAddr[addr] <= 0 {
		delete(t.byAddr, addr)
	}
}

// evictLocked evicts a connection of an address to free a slot that is not an extra one. Headers
// arrive at least one round trip after their connection, so connections get time to send them. The
// zero address stands for all addresses. It returns false if no connection makes way.
func (t *connTable) evictLocked(addr netip.Addr) bool {
	return t.evictOldestLocked(&t.idle, addr, 0) || t.evictOldestLocked(&t.heads, addr, busyHeaderTimeout)
}

// evictOldestLocked evicts the first connection of a list that matches addr and was accepted at least
// minAge ago.
func (t *connTable) evictOldestLocked(waiting *list.List, addr netip.Addr, minAge time.Duration) bool {
	for e := waiting.Front(); e != nil; e = e.Next() {
		c := e.Value.(*conn) //nolint:forcetypeassert // the lists hold nothing else
		if time.Since(c.accepted) < minAge {
			return false // the following ones are younger
		}
		if !addr.IsValid() || c.addr == addr {
			t.removeLocked(c)
			c.evict()
			return true
		}
	}
	return false
}

// removeLocked stops counting a connection. Only the first call has an effect.
func (t *connTable) removeLocked(c *conn) {
	if c.removed {
		return
	}
	c.removed = true
	t.stopWaitingLocked(c)
	if c.extra {
		t.extras--
	} else {
		t.open.Add(-1)
	}
	t.countLocked(c.addr, -1)
}

func (t *connTable) startWaitingLocked(c *conn, waiting *list.List) {
	if c.extra {
		waiting = &t.waitingExtras
	}
	c.waiting = waiting.PushBack(c)
}

func (t *connTable) stopWaitingLocked(c *conn) {
	if c.waiting == nil {
		return
	}
	t.heads.Remove(c.waiting)
	t.idle.Remove(c.waiting)
	t.waitingExtras.Remove(c.waiting)
	c.waiting = nil
}

func (t *connTable) remove(c *conn) {
	if t.max == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeLocked(c)
}

// startRequest protects a connection from eviction while it serves a request. It returns false if the
// connection is an extra one and the limit is still reached.
func (t *connTable) startRequest(c *conn) bool {
	if t.max == 0 {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopWaitingLocked(c)
	if !c.extra || c.removed {
		return !c.removed
	}
	if t.open.Load() >= int64(t.max) || t.isGreedyLocked(c.addr) {
		return false
	}
	c.extra = false
	t.extras--
	t.open.Add(1)
	return true
}

// minIdle is how many connections may always be idle.
const minIdle = 64

// hasEnoughIdle reports whether a quarter of all connections is idle. Each occupies about 12 KB.
// Connections are then closed after each response.
func (t *connTable) hasEnoughIdle() bool {
	if t.max == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.idle.Len() >= max(minIdle, t.max/4)
}

// endRequest makes a connection idle.
func (t *connTable) endRequest(c *conn) {
	if t.max == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.removed {
		t.startWaitingLocked(c, &t.idle)
	}
}

// clientOf returns the address that identifies a client. For IPv6 this is the network of 64 bits,
// because one client can use all its addresses. It is the zero address if hostPort has none.
func clientOf(hostPort string) netip.Addr {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	addr, _ := netip.ParseAddr(host)
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		network, _ := addr.Prefix(64) // 64 bits are valid for every IPv6 address
		return network.Addr()
	}
	return addr
}

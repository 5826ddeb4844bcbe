package httpserver

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// remoteConn is a connection of a remote address that sends nothing.
type remoteConn struct {
	net.Conn
	addr net.TCPAddr
}

func (c *remoteConn) RemoteAddr() net.Addr              { return &c.addr }
func (c *remoteConn) SetReadDeadline(_ time.Time) error { return nil }

func newTableConn(table *gatekeeper, lastByte byte) *conn {
	ip := netip.AddrFrom4([4]byte{203, 0, 113, lastByte})
	if lastByte == 0 {
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return &conn{Conn: &remoteConn{addr: *net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, 1))}, server: &server{gatekeeper: table}, addr: ip}
}

// tableModel takes random steps and knows which connections serve a request within the limits.
type tableModel struct {
	g       gatekeeper
	random  *rand.Rand
	conns   []*conn
	serving map[*conn]bool
	// clients is the number of client addresses. The first one is local.
	clients int
}

func (m *tableModel) step() {
	if m.random.IntN(2) == 0 || len(m.conns) == 0 {
		if c := newTableConn(&m.g, byte(m.random.IntN(m.clients))); m.g.table.add(c) {
			m.conns = append(m.conns, c)
		}
		return
	}
	c := m.conns[m.random.IntN(len(m.conns))]
	_, isServing := m.serving[c]
	switch {
	case c.evicted.Load() && !isServing, m.random.IntN(8) == 0:
		m.g.table.remove(c)
		delete(m.serving, c)
		m.conns = slices.DeleteFunc(m.conns, func(other *conn) bool { return other == c })
	case isServing:
		delete(m.serving, c)
		m.g.table.endRequest(c)
	default:
		m.serving[c] = m.g.table.startRequest(c)
	}
}

// check counts the connections itself and compares the counts with the limits and the table.
func (m *tableModel) check(t *testing.T) {
	t.Helper()
	open, extras, remoteExtras, admitted, byAddr := 0, 0, 0, 0, map[netip.Addr]int{}
	for _, c := range m.conns {
		isAdmitted, isServing := m.serving[c]
		switch {
		case c.removed:
			require.False(t, isServing, "a connection that serves a request is not evicted")
			continue
		case c.extra:
			extras++
			if !c.addr.IsLoopback() {
				remoteExtras++
			}
		default:
			open++
		}
		byAddr[c.addr]++
		if isAdmitted {
			admitted++
		}
	}
	table := &m.g.table
	require.LessOrEqual(t, admitted, table.max)
	require.LessOrEqual(t, open, table.max)
	require.LessOrEqual(t, extras, 2*extraConns)
	require.LessOrEqual(t, remoteExtras, extraConns)
	require.EqualValues(t, open, table.open.Load())
	require.Equal(t, extras, table.extras)
	require.Equal(t, byAddr, table.byAddr)
	require.Equal(t, open+extras-len(m.serving), table.heads.Len()+table.idle.Len()+table.waitingExtras.Len())
}

func TestRandomConnectionsStayWithinTheLimits(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			m := &tableModel{random: rand.New(rand.NewPCG(seed, 0)), serving: map[*conn]bool{}, clients: 1 + int(seed%5)}
			m.g.table.max, m.g.table.byAddr = 1+m.random.IntN(24), map[netip.Addr]int{}
			for range 2000 {
				m.step()
				m.check(t)
				<-time.After(time.Duration(m.random.Int64N(int64(busyHeaderTimeout / 8)))) // the bubble's clock
			}
		})
	}
}

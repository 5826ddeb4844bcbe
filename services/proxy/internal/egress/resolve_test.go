package egress

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/netguard"
)

// resolver responds to every query with the next address, and repeats the last one. The zero address is a
// server failure, nowhere a name that does not exist, empty a name without addresses.
func resolver(addresses ...netip.Addr) *net.Resolver {
	var asked atomic.Int64
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			question := make([]byte, 512)
			for {
				// A pipe is a stream, so messages have a length prefix.
				if _, err := ours.Read(question[:2]); err != nil {
					return
				}
				n, err := ours.Read(question[:binary.BigEndian.Uint16(question)])
				if err != nil {
					return
				}
				i := asked.Load()
				if isA(question[:n]) {
					i = asked.Add(1) - 1
				}
				a := dnsAnswer(question[:n], addresses[min(int(i), len(addresses)-1)])
				_, _ = ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
			}
		}()
		return theirs, nil
	}}
}

// end returns where the name of the query ends, before its type.
func end(q []byte) int {
	i := 12
	for q[i] != 0 {
		i += int(q[i]) + 1
	}
	return i + 1
}

func isA(q []byte) bool { return binary.BigEndian.Uint16(q[end(q):]) == 1 }

func dnsAnswer(q []byte, to netip.Addr) []byte {
	a := append([]byte(nil), q[:end(q)+4]...)
	binary.BigEndian.PutUint16(a[2:], 0x8180)
	clear(a[6:12]) // no records
	switch {
	case !to.IsValid():
		a[3] |= 2 // SERVFAIL
	case to == nowhere:
		a[3] |= 3 // NXDOMAIN
	case to == empty: // no error and no records
	case isA(q):
		a[7] = 1
		a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		a = append(a, to.AsSlice()...)
	}
	return a
}

// named returns the server's URL under a name.
func named(url string) string { return strings.Replace(url, "127.0.0.1", "example.com", 1) }

var (
	home = netip.MustParseAddr("127.0.0.1")
	away = netip.MustParseAddr("127.0.0.2")

	nowhere = netip.IPv4Unspecified()
	empty   = netip.IPv6Unspecified()
)

// A name that resolves differently in two lookups is judged by the dialled address, for both protocols.
func TestRebindingGainsNothing(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s, conns := secure(t, true, echoBody)
		r := resolver(home, away)
		call := func() (HTTPResponse, error) {
			c := New(Config{HTTP2: http2, Roots: roots(s), TLSTimeout: patience})
			t.Cleanup(c.CloseIdleConnections)
			c.dialer.net.Resolver = r
			c.dialer.net.Control = guard(func(a netip.Addr) bool { return a == home })
			return post(t.Context(), t, c, named(s.URL), "x")
		}
		resp, err := call()
		require.NoError(t, err)
		require.Equal(t, "x", read(t, resp))
		_, err = call()
		_ = requirePhase(t, err, PhaseGuard)
		require.EqualValues(t, 1, conns.Load())
	}
}

// A name keeps its last address for a while, whatever the resolver says about it.
func TestNameKeepsItsAddressForAWhile(t *testing.T) {
	for name, tt := range map[string]struct {
		then netip.Addr
		text string
	}{
		"server failure": {netip.Addr{}, ""},
		"no such name":   {nowhere, "dns: no such host"},
		"no address":     {empty, "dns: no such host"},
	} {
		t.Run(name, func(t *testing.T) {
			s, hits := server(t, func(http.ResponseWriter, *http.Request) {})
			c := New(Config{AllowPrivate: true})
			c.dialer.net.Resolver = resolver(home, tt.then)
			for range 3 {
				_, err := get(t, c, named(s.URL))
				require.NoError(t, err)
				c.CloseIdleConnections()
			}
			require.EqualValues(t, 3, hits.Load())

			known := *c.dialer.last.Load()
			known.at = time.Now().Add(-staleFor)
			c.dialer.last.Store(&known)
			_, err := get(t, c, named(s.URL))
			require.Contains(t, requirePhase(t, err, PhaseDNS).Error(), tt.text)

			known.at = time.Now()
			c.dialer.last.Store(&known)
			c.dialer.net.Control = guard(netguard.IsPublic)
			_, err = get(t, c, named(s.URL))
			_ = requirePhase(t, err, PhaseGuard)
		})
	}
}

func TestNameThatNeverResolved(t *testing.T) {
	s, _ := server(t, func(http.ResponseWriter, *http.Request) {})
	c := New(Config{AllowPrivate: true})
	c.dialer.net.Resolver = resolver(nowhere)
	_, err := get(t, c, named(s.URL))
	require.Equal(t, "dns: no such host", requirePhase(t, err, PhaseDNS).Error())
}

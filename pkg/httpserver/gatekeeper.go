package httpserver

import (
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// extraConns is the number of connections that are accepted beyond MaxConns, to respond with an
// error instead of a closed connection. Local clients get another extraConns connections, so that
// remote clients cannot block a local health check.
const extraConns = 64

// gatekeeper limits connections and rejects requests that no handler should receive.
type gatekeeper struct {
	Config
	draining atomic.Bool
	conns    connTable
}

// ServeHTTP passes requests to the handler, except those that check rejects.
func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if c == nil {
		g.Handler.ServeHTTP(w, r)
		return
	}
	c.serving.Store(true)
	admitted := g.conns.startRequest(c)
	g.TrustedProxies.setClientAddr(r)
	if g.draining.Load() || g.conns.isNearlyFull() || g.conns.hasEnoughIdle() || !c.head.complete {
		// This closes the connection after the response. Closing a connection while it is idle could
		// lose a request that is arriving. A request whose headers were not scanned could hide another.
		w.Header().Set("Connection", "close")
	}
	client := g.forwardedClient(c, r)
	if err := g.check(c, admitted && !g.conns.isGreedy(client), r); err != nil {
		w.Header().Set("Connection", "close")
		g.rejectRequest(w, r, err)
		return
	}
	g.conns.count(client, 1)
	defer g.conns.count(client, -1)
	g.Handler.ServeHTTP(w, r)
}

// forwardedClient returns the client of a request that a trusted proxy forwards. The request counts
// as a connection of that client. It returns the zero address for all other requests.
func (g *gatekeeper) forwardedClient(c *conn, r *http.Request) netip.Addr {
	if c.addr.IsValid() {
		return netip.Addr{}
	}
	return g.countedClient(r.RemoteAddr)
}

// countedClient returns the client at an address, or the zero address for a trusted proxy, whose
// clients are counted instead.
func (g *gatekeeper) countedClient(hostPort string) netip.Addr {
	if host, _, err := net.SplitHostPort(hostPort); err == nil && g.TrustedProxies.contains(host) {
		return netip.Addr{}
	}
	return clientOf(hostPort)
}

// check returns an error for requests that no handler should receive: HTTP/2, requests with faulty
// framing, and requests beyond the limits of connections, unless IsVital selects them.
func (g *gatekeeper) check(c *conn, isWithinLimits bool, r *http.Request) error {
	switch {
	case r.Method == "PRI": // HTTP/2 with prior knowledge
		return unsupportedVersionError()
	case c.head.fault != "":
		return apperr.New(apperr.InvalidRequest, "the request is not valid HTTP: "+c.head.fault)
	case isWithinLimits || g.IsVital != nil && g.IsVital(r):
		return nil
	}
	return overloadedError()
}

func (g *gatekeeper) rejectRequest(w http.ResponseWriter, r *http.Request, err error) {
	apperr.Write(w, err, g.errorOptions(parseFormat(r.Header.Get(errorFormatHeader))))
}

func (g *gatekeeper) errorOptions(format apperr.Format) apperr.Options {
	return apperr.Options{RequestID: g.newRequestID(), Format: format, PublicURL: g.PublicURL}
}

func (g *gatekeeper) newRequestID() string {
	if g.RequestID == nil {
		return ""
	}
	return g.RequestID()
}

// overloadedError has a random retry delay, so that clients do not all retry at the same time.
func overloadedError() *apperr.Error {
	return apperr.New(apperr.GatewayOverloaded, "too many connections; retry shortly").
		WithRetryAfter(time.Second + rand.N(2*time.Second))
}

func isLocal(peer net.Addr) bool {
	tcp, ok := peer.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

type listener struct {
	net.Listener
	gatekeeper *gatekeeper
}

// Accept returns the next admitted connection. It closes connections that are not admitted.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		admitted := &conn{Conn: c, gatekeeper: l.gatekeeper, addr: l.gatekeeper.countedClient(c.RemoteAddr().String())}
		if l.gatekeeper.conns.add(admitted) {
			return admitted, nil
		}
		_ = c.Close()
	}
}

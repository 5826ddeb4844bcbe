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
	table    connTable
}

// serveHTTP passes requests to the handler, except those beyond the limits of connections.
func (g *gatekeeper) serveHTTP(c *conn, w http.ResponseWriter, r *http.Request) {
	admitted := g.table.startRequest(c)
	g.TrustedProxies.setClientAddr(r)
	if g.draining.Load() || g.table.isNearlyFull() || g.table.hasEnoughIdle() {
		// This closes the connection after the response. Closing a connection while it is idle could
		// lose a request that is arriving.
		w.Header().Set("Connection", "close")
	}
	client := g.forwardedClient(c, r)
	if isAdmitted := admitted && !g.table.isGreedy(client); !isAdmitted && !g.isVital(r) {
		w.Header().Set("Connection", "close")
		apperr.Write(w, overloadedError(), g.errorOptions(parseFormat(r.Header.Get(errorFormatHeader))))
		return
	}
	g.table.count(client, 1)
	defer g.table.count(client, -1)
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

func (g *gatekeeper) isVital(r *http.Request) bool { return g.IsVital != nil && g.IsVital(r) }

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

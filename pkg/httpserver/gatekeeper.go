package httpserver

import (
	"math/rand/v2"
	"net"
	"net/http"
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
	draining  atomic.Bool
	openConns atomic.Int64
}

// ServeHTTP passes requests to the handler. It rejects HTTP/2. While more than MaxConns connections
// are open, it also rejects requests on the extra connections, unless IsVital selects them.
func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if c != nil {
		c.serving.Store(true)
	}
	g.TrustedProxies.setClientAddr(r)
	if g.draining.Load() || g.isNearlyFull() {
		// This closes the connection after the response. Closing a connection while it is idle could
		// lose a request that is arriving.
		w.Header().Set("Connection", "close")
	}
	switch {
	case r.Method == "PRI": // HTTP/2 with prior knowledge
		g.rejectRequest(w, r, apperr.New(apperr.InvalidRequest, "this port does not support HTTP/2; use HTTP/1.1"))
	case c != nil && c.extra && g.isOverLimit() && (g.IsVital == nil || !g.IsVital(r)):
		w.Header().Set("Connection", "close")
		g.rejectRequest(w, r, overloadedError())
	default:
		g.Handler.ServeHTTP(w, r)
	}
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
func overloadedError() error {
	return apperr.New(apperr.GatewayOverloaded, "too many connections; retry shortly").
		WithRetryAfter(time.Second + rand.N(2*time.Second))
}

func (g *gatekeeper) isOverLimit() bool {
	return g.MaxConns > 0 && g.openConns.Load() > int64(g.MaxConns)
}

// isNearlyFull reports whether more than 7/8 of MaxConns connections are open. Connections are then
// closed after each response, so that idle connections do not use up the limit.
func (g *gatekeeper) isNearlyFull() bool {
	return g.MaxConns > 0 && g.openConns.Load() > int64(g.MaxConns-g.MaxConns/8)
}

// admit counts a new connection. isExtra is true if more than MaxConns connections are open. ok is
// false if the extra connections are used up too. The caller must then close the connection.
func (g *gatekeeper) admit(peer net.Addr) (isExtra, ok bool) {
	n := g.openConns.Add(1)
	if g.MaxConns == 0 || n <= int64(g.MaxConns) {
		return false, true
	}
	limit := int64(g.MaxConns) + extraConns
	if isLocal(peer) {
		limit += extraConns
	}
	if n > limit {
		g.openConns.Add(-1)
		return false, false
	}
	return true, true
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
		extra, ok := l.gatekeeper.admit(c.RemoteAddr())
		if ok {
			return &conn{Conn: c, gatekeeper: l.gatekeeper, extra: extra}, nil
		}
		_ = c.Close()
	}
}

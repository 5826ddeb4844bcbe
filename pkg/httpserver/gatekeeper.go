package httpserver

import (
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// extraConns is how many connections beyond MaxConns are accepted, only to send an error
// response. Local callers get another extraConns connections, so that remote clients cannot
// block a health check.
const extraConns = 64

// gatekeeper admits connections and requests.
type gatekeeper struct {
	Config
	draining atomic.Bool
	// openConns counts the open connections.
	openConns atomic.Int64
}

// ServeHTTP passes requests to the handler. It rejects HTTP/2. While there are more
// connections than MaxConns, it also rejects requests on extra connections, unless IsVital
// selects them.
func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if c != nil {
		c.serving.Store(true)
	}
	g.TrustedProxies.setClientAddr(r)
	if g.draining.Load() || g.isNearlyFull() {
		// The connection closes after this response. Closing idle connections from here could
		// lose a request that is just arriving.
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

// overloadedError makes clients retry after a random delay.
func overloadedError() error {
	return apperr.New(apperr.GatewayOverloaded, "too many connections; retry shortly").
		WithRetryAfter(time.Second + rand.N(2*time.Second))
}

// isOverLimit reports whether more connections than MaxConns are open.
func (g *gatekeeper) isOverLimit() bool {
	return g.MaxConns > 0 && g.openConns.Load() > int64(g.MaxConns)
}

// isNearlyFull reports whether more than 7/8 of MaxConns are open. Connections then close
// after each response instead of staying idle.
func (g *gatekeeper) isNearlyFull() bool {
	return g.MaxConns > 0 && g.openConns.Load() > int64(g.MaxConns-g.MaxConns/8)
}

// admit counts a new connection. ok is false if MaxConns and the extra connections are used
// up. isExtra is set for an extra connection.
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

// listener counts the connections of a gatekeeper.
type listener struct {
	net.Listener
	gatekeeper *gatekeeper
}

// Accept returns the next admitted connection.
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

package httpserver

import (
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// reserve is how many connections beyond the bound are taken to be refused in
// words. Callers on this machine have as many again, so that strangers alone
// cannot keep a health check out.
const reserve = 64

// door decides who comes in, and how connections are left.
type door struct {
	Config
	draining atomic.Bool
	// open counts the connections.
	open atomic.Int64
}

// ServeHTTP passes requests on, but for those that come over a connection too
// many.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if c != nil {
		c.serving.Store(true)
	}
	d.Trusted.client(r)
	if d.draining.Load() || d.crowded() {
		// Closing idle connections at once would be simpler, and would hit
		// those on which a request is just arriving.
		w.Header().Set("Connection", "close")
	}
	switch {
	case r.Method == "PRI": // HTTP/2 without asking
		d.refuse(w, r, apperr.New(apperr.InvalidRequest, "HTTP/2 is not served on this port; use HTTP/1.1"))
	case c != nil && c.extra && d.full() && (d.Vital == nil || !d.Vital(r)):
		w.Header().Set("Connection", "close")
		d.refuse(w, r, overloaded())
	default:
		d.Handler.ServeHTTP(w, r)
	}
}

func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	apperr.Write(w, err, d.id(), formatOf(r.Header.Get(formatHeader)))
}

func (d *door) id() string {
	if d.RequestID == nil {
		return ""
	}
	return d.RequestID()
}

// overloaded asks clients to come back, each at another time.
func overloaded() error {
	return apperr.New(apperr.GatewayOverloaded, "there are too many connections; try again shortly").
		After(time.Second + rand.N(2*time.Second))
}

// full reports whether there are more connections than are to be served.
func (d *door) full() bool { return d.MaxConns > 0 && d.open.Load() > int64(d.MaxConns) }

// crowded reports whether there are so many that none is left idle.
func (d *door) crowded() bool {
	return d.MaxConns > 0 && d.open.Load() > int64(d.MaxConns-d.MaxConns/8)
}

// enter counts a connection. It is refused without a word when even the
// reserve is used up, and extra when it is one of the reserve.
func (d *door) enter(peer net.Addr) (extra, ok bool) {
	n := d.open.Add(1)
	if d.MaxConns == 0 || n <= int64(d.MaxConns) {
		return false, true
	}
	most := int64(d.MaxConns) + reserve
	if local(peer) {
		most += reserve
	}
	if n > most {
		d.open.Add(-1)
		return false, false
	}
	return true, true
}

func local(peer net.Addr) bool {
	tcp, ok := peer.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// listener counts the connections of a door.
type listener struct {
	net.Listener
	door *door
}

// Accept returns the next connection that is let in.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		extra, ok := l.door.enter(c.RemoteAddr())
		if ok {
			return &conn{Conn: c, door: l.door, extra: extra}, nil
		}
		_ = c.Close()
	}
}

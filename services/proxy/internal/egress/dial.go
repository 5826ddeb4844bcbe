package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/pkg/netguard"
)

// staleFor is how long an address serves after its name could last be
// resolved: a resolver's outage must not be the provider's.
const staleFor = 10 * time.Minute

type dialer struct {
	net    net.Dialer
	tls    *tls.Config
	within time.Duration
	// last is the address that was dialled last. A provider has one host, so
	// one is enough.
	last atomic.Pointer[resolved]
}

// resolved is what a name stood for.
type resolved struct {
	name, address string
	at            time.Time
}

func newDialer(c Config) *dialer {
	d := &dialer{
		net: net.Dialer{Timeout: cmp.Or(c.ConnectTimeout, defaultConnect)},
		// A session that is taken up again saves a round trip and most of the
		// handshake's arithmetic.
		tls:    &tls.Config{RootCAs: c.Roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)},
		within: cmp.Or(c.TLSTimeout, defaultTLS),
	}
	if !c.AllowPrivate {
		d.net.Control = guard(netguard.Public)
	}
	return d
}

// guard runs on every address that is about to be dialled, after resolution,
// so a name that changes its mind between two lookups gains nothing.
func guard(allowed func(netip.Addr) bool) func(_, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || !allowed(ap.Addr()) {
			return ErrRefused
		}
		return nil
	}
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.net.DialContext(ctx, network, address)
	if known := d.known(address); err != nil && known != "" && unresolved(err) {
		conn, err = d.net.DialContext(ctx, network, known)
	} else if err == nil {
		d.last.Store(&resolved{name: address, address: conn.RemoteAddr().String(), at: time.Now()})
	}
	if err != nil {
		return nil, dialError(err)
	}
	return conn, nil
}

// known is what the name stood for a while ago, empty if that is not known.
func (d *dialer) known(name string) string {
	if r := d.last.Load(); r != nil && r.name == name && time.Since(r.at) < staleFor {
		return r.address
	}
	return ""
}

// unresolved tells a resolver that does not work from one that says no.
func unresolved(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && !dns.IsNotFound
}

func (d *dialer) dialHTTP1(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dialTLS(ctx, network, address, "http/1.1")
}

// dialTLS does the handshake here, and not in net/http, so that a failure of
// it can be told from one of the connection.
func (d *dialer) dialTLS(ctx context.Context, network, address string, protocols ...string) (*tls.Conn, error) {
	raw, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		_ = raw.Close()
		return nil, &Error{Phase: PhaseTLS, text: "bad address", cause: err}
	}
	config := d.tls.Clone()
	config.ServerName, config.NextProtos = host, protocols
	conn := tls.Client(raw, config)
	ctx, cancel := context.WithTimeout(ctx, d.within)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, tlsError(err)
	}
	return conn, nil
}

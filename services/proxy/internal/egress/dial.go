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

// staleFor is how long the last address of a name is used when the resolver fails or no longer
// knows the name, so that an outage of the resolver does not look like an outage of the provider.
// A resolver that has just restarted or lost its configuration also denies names that exist.
const staleFor = 10 * time.Minute

type dialer struct {
	net        net.Dialer
	tls        *tls.Config
	tlsTimeout time.Duration
	// last is the address that was dialled last. A transport calls a single provider, which has
	// a single host, so one entry is enough.
	last atomic.Pointer[resolved]
}

// resolved is the address that a name had at a time.
type resolved struct {
	name, address string
	at            time.Time
}

func newDialer(c Config) *dialer {
	d := &dialer{
		net: net.Dialer{Timeout: cmp.Or(c.ConnectTimeout, defaultConnect)},
		// Session resumption saves a round trip and most of the handshake's CPU time.
		tls:        &tls.Config{RootCAs: c.Roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)},
		tlsTimeout: cmp.Or(c.TLSTimeout, defaultTLS),
	}
	if !c.AllowPrivate {
		d.net.Control = guard(netguard.IsPublic)
	}
	return d
}

// guard checks every address right before it is dialled, after resolution. A check of the name
// could be bypassed with a name that resolves differently in two lookups.
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
	if known := d.knownAddress(address); err != nil && known != "" && isUnresolved(err) {
		conn, err = d.net.DialContext(ctx, network, known)
	} else if err == nil {
		d.last.Store(&resolved{name: address, address: conn.RemoteAddr().String(), at: time.Now()})
	}
	if err != nil {
		return nil, dialError(err)
	}
	return conn, nil
}

// knownAddress returns the recent address of a name, or "" if there is none.
func (d *dialer) knownAddress(name string) string {
	if r := d.last.Load(); r != nil && r.name == name && time.Since(r.at) < staleFor {
		return r.address
	}
	return ""
}

// isUnresolved reports whether the resolver returned no address: it failed, it denied the name, or
// its response was empty.
func isUnresolved(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

func (d *dialer) dialHTTP1(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dialTLS(ctx, network, address, "http/1.1")
}

// dialTLS connects and performs the TLS handshake. If net/http performed the handshake, its
// failures could not be distinguished from failures to connect.
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
	ctx, cancel := context.WithTimeout(ctx, d.tlsTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, tlsError(err)
	}
	return conn, nil
}

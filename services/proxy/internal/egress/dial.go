package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"syscall"
	"time"
)

type dialer struct {
	net    net.Dialer
	tls    *tls.Config
	within time.Duration
}

func newDialer(c Config) *dialer {
	d := &dialer{
		net: net.Dialer{Timeout: cmp.Or(c.ConnectTimeout, defaultConnect)},
		// A session that is taken up again saves a round trip and most of the
		// handshake's arithmetic.
		tls:    &tls.Config{NextProtos: []string{"http/1.1"}, ClientSessionCache: tls.NewLRUClientSessionCache(0)},
		within: cmp.Or(c.TLSTimeout, defaultTLS),
	}
	if !c.AllowPrivate {
		d.net.Control = guard
	}
	return d
}

// guard runs on every address that is about to be dialled, after resolution,
// so a name that changes its mind between two lookups gains nothing.
func guard(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !public(ap.Addr()) {
		return ErrRefused
	}
	return nil
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.net.DialContext(ctx, network, address)
	if err != nil {
		return nil, dialError(err)
	}
	return conn, nil
}

// dialTLS does the handshake here, and not in net/http, so that a failure of
// it can be told from one of the connection.
func (d *dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
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
	config.ServerName = host
	conn := tls.Client(raw, config)
	ctx, cancel := context.WithTimeout(ctx, d.within)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, tlsError(err)
	}
	return conn, nil
}

package rpc

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/signalbox/signalbox/pkg/certs"
)

// CheckPlaintext refuses an address (host:port) that others than this machine
// can reach, unless plaintext was allowed there on purpose. It is for servers
// and clients without an Identity. A host name other than localhost is
// refused, because what it stands for may change.
func CheckPlaintext(addr string, allowed bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("gRPC address: %w", err)
	}
	if allowed || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return nil
	}
	return fmt.Errorf("plaintext gRPC on %s is refused, because it is not a loopback address: set SIGNALBOX_CERTS, or SIGNALBOX_PLAINTEXT=true to allow it all the same", addr)
}

func (s *Server) credentials(id *certs.Identity) credentials.TransportCredentials {
	if id == nil {
		return insecure.NewCredentials()
	}
	config := id.ServerTLS()
	if len(s.lanes) > 0 {
		config = offering(config)
	}
	return &serverTLS{TransportCredentials: credentials.NewTLS(config), log: s.log, quiet: s.lobby.isClosed, taken: s.taken}
}

// serverTLS says why it refused somebody, because the other side often sees no
// more than a closed connection.
type serverTLS struct {
	credentials.TransportCredentials
	log     *slog.Logger
	refused seldom
	// quiet is true once the server itself turns peers away.
	quiet func() bool
	// taken takes a connection that is not gRPC's to serve.
	taken func(raw, conn net.Conn, info credentials.AuthInfo) bool
}

// ServerHandshake lets who comes by a socket in without a certificate: the
// file system has said who may.
func (c *serverTLS) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if network(raw.LocalAddr()) == "unix" {
		return insecure.NewCredentials().ServerHandshake(raw)
	}
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	// A probe that connects and leaves is nobody.
	if err != nil && !errors.Is(err, io.EOF) && !c.quiet() && c.refused.again() {
		c.log.Warn("connection refused", "from", raw.RemoteAddr().String(), "error", err)
	}
	if err == nil && c.taken(raw, conn, info) {
		return nil, nil, credentials.ErrConnDispatched
	}
	return conn, info, err
}

func clientCredentials(cfg ClientConfig) (credentials.TransportCredentials, error) {
	switch {
	case cfg.Identity == nil:
		return insecure.NewCredentials(), nil
	case !slices.Contains(certs.Roles(), cfg.Peer):
		return nil, fmt.Errorf("no role of a server: %q", cfg.Peer)
	}
	return credentials.NewTLS(cfg.Identity.ClientTLS(cfg.Peer)), nil
}

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

// CheckPlaintext rejects an address (host:port) that other machines can reach, unless
// plaintext is explicitly allowed. It is for servers and clients without an Identity. It
// rejects host names other than localhost, because their addresses may change.
func CheckPlaintext(addr string, allowed bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("gRPC address: %w", err)
	}
	if allowed || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return nil
	}
	return fmt.Errorf("plaintext gRPC on %s is not allowed, because it is not a loopback address: set SIGNALBOX_CERTS, or SIGNALBOX_PLAINTEXT=true to allow it", addr)
}

func (s *Server) transportCredentials(id *certs.Identity) credentials.TransportCredentials {
	if id == nil {
		return insecure.NewCredentials()
	}
	config := id.ServerTLS()
	if len(s.lanes) > 0 {
		config = offering(config)
	}
	return &serverTLS{TransportCredentials: credentials.NewTLS(config), log: s.log, isShuttingDown: s.lobby.isClosed, taken: s.taken}
}

// serverTLS logs why it rejected a peer, because the peer often sees only a closed
// connection.
type serverTLS struct {
	credentials.TransportCredentials
	log        *slog.Logger
	refusalLog logLimiter
	// isShuttingDown returns true once the server rejects peers itself.
	isShuttingDown func() bool
	// taken serves a connection that does not speak gRPC.
	taken func(raw, conn net.Conn, info credentials.AuthInfo) bool
}

// ServerHandshake accepts connections over the local socket without a certificate: file
// permissions control access to it.
func (c *serverTLS) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if networkOf(raw.LocalAddr()) == "unix" {
		return insecure.NewCredentials().ServerHandshake(raw)
	}
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	// A port probe that connects and disconnects is not logged.
	if err != nil && !errors.Is(err, io.EOF) && !c.isShuttingDown() && c.refusalLog.allow() {
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
		return nil, fmt.Errorf("unknown server role %q", cfg.Peer)
	}
	return credentials.NewTLS(cfg.Identity.ClientTLS(cfg.Peer)), nil
}

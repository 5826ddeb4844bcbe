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
// plaintext is explicitly allowed. Servers and clients without an Identity must call it.
// It rejects host names other than localhost, because their addresses may change.
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
	return &serverTLS{TransportCredentials: credentials.NewTLS(id.ServerTLS()), log: s.log}
}

// serverTLS logs why it rejected a peer, because the peer often sees only that the
// connection was closed.
type serverTLS struct {
	credentials.TransportCredentials
	log          *slog.Logger
	rejectionLog logLimiter
}

// ServerHandshake accepts connections over the local socket without a certificate,
// because file permissions control access to the socket.
func (c *serverTLS) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if networkOf(raw.LocalAddr()) == "unix" {
		return insecure.NewCredentials().ServerHandshake(raw)
	}
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	// A port probe that only connects and disconnects causes io.EOF and is not logged.
	if err != nil && !errors.Is(err, io.EOF) && c.rejectionLog.allow() {
		c.log.Warn("connection rejected", "from", raw.RemoteAddr().String(), "error", err)
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

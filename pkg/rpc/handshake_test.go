package rpc_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
)

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// A peer that stays silent during a handshake delays a shutdown, but not beyond the grace
// period.
func TestSilentHandshakesDoNotExhaustTheGracePeriod(t *testing.T) {
	dir := newCA(t, certs.Keyauth, certs.Proxy)
	// On a busy machine, a peer starts its handshake seconds after its connection is accepted.
	plain := rpc.ServerConfig{HandshakeTimeout: 5 * time.Second, Grace: time.Minute}
	server := plain
	server.Identity, server.Allow = load(t, dir, certs.Keyauth), table
	client := as(t, dir, certs.Proxy)
	tests := []struct {
		name string
		cfg  configs
		// send sends the bytes after which the peer stays silent.
		send func(t *testing.T, conn net.Conn)
	}{
		{"plaintext, nothing", configs{server: plain}, func(*testing.T, net.Conn) {}},
		{"plaintext, preface", configs{server: plain}, func(t *testing.T, conn net.Conn) {
			_, err := io.WriteString(conn, preface)
			require.NoError(t, err)
		}},
		{"TLS, nothing", configs{server: server, client: client}, func(*testing.T, net.Conn) {}},
		{"TLS, half a hello", configs{server: server, client: client}, func(t *testing.T, conn net.Conn) {
			_, err := conn.Write([]byte{0x16, 0x03, 0x01})
			require.NoError(t, err)
		}},
		{"TLS, handshake", configs{server: server, client: client}, func(t *testing.T, conn net.Conn) {
			cfg := client.Identity.ClientTLS(certs.Keyauth)
			cfg.NextProtos = []string{"h2"}
			require.NoError(t, tls.Client(conn, cfg).HandshakeContext(t.Context()))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, conn := withSilentPeer(t, tt.cfg)
			tt.send(t, conn)
			h.stop()
			require.NoError(t, <-h.stopped)
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(soon)))
			_, err := io.Copy(io.Discard, conn)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
		})
	}
}

// withSilentPeer starts a server and connects a peer to it. A call over another connection
// shows that the server has accepted the peer.
func withSilentPeer(t *testing.T, cfg configs) (*house, net.Conn) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	conn, err := net.Dial("tcp", lis.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	client, err := rpc.Dial(lis.Addr().String(), cfg.client)
	require.NoError(t, err)
	h := open(t, cfg, lis, client)
	h.keys.verify = func(context.Context) error { return nil }
	require.NoError(t, h.verify(t.Context()))
	return h, conn
}

package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
)

func TestPlaintextStaysOnTheMachine(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:7001", "127.8.8.8:0", "[::1]:7001", "localhost:7001"} {
		require.NoError(t, rpc.CheckPlaintext(addr, false), addr)
	}
	for _, addr := range []string{":7001", "0.0.0.0:7001", "[::]:7001", "10.0.0.7:7001", "keyauth:7001", "localhost.evil.example:7001", "127.0.0.1.evil.example:7001"} {
		require.ErrorContains(t, rpc.CheckPlaintext(addr, false), addr)
		require.NoError(t, rpc.CheckPlaintext(addr, true), addr)
	}
	require.Error(t, rpc.CheckPlaintext("7001", true))
}

// A missing role must not produce a client that trusts any server of the CA.
func TestDialNeedsTheServersRole(t *testing.T) {
	id := load(t, newCA(t, certs.Proxy), certs.Proxy)
	for _, role := range []string{"", "banker"} {
		_, err := rpc.Dial("127.0.0.1:1", rpc.ClientConfig{Identity: id, Peer: role})
		require.ErrorContains(t, err, "role")
	}
}

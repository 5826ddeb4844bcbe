package certs_test

import (
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

// serial returns the serial number of the server's certificate that the client sees.
func serial(t *testing.T, client, server *certs.Identity) *big.Int {
	t.Helper()
	seen, clientErr, serverErr := meet(t, client.ClientTLS(certs.Keyauth), server.ServerTLS())
	require.NoError(t, clientErr)
	require.NoError(t, serverErr)
	return seen.PeerCertificates[0].SerialNumber
}

func TestHandshakesUseTheFilesOfTheMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := newCA(t, time.Now())
		server, client := load(t, dir, certs.Keyauth), load(t, dir, certs.Proxy)
		require.Equal(t, certificate(t, dir, certs.Keyauth).SerialNumber, serial(t, client, server))
		write(t, dir, certs.Keyauth)
		<-time.After(aSecond)
		require.Equal(t, certificate(t, dir, certs.Keyauth).SerialNumber, serial(t, client, server))
		require.NoError(t, server.Err())
	})
}

func TestFilesThatCannotBeUsedAreNot(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"broken":         func(t *testing.T, dir string) { replace(t, dir, "keyauth/key.pem", "broken") },
		"half renewed":   func(t *testing.T, dir string) { replace(t, dir, "keyauth/cert.pem", content(t, dir, "proxy/cert.pem")) },
		"of another CA":  func(t *testing.T, dir string) { copyKeyauth(t, newCA(t, time.Now()), dir) },
		"long expired":   func(t *testing.T, dir string) { copyKeyauth(t, newCA(t, time.Now().AddDate(-2, 0, 0)), dir) },
		"another's role": func(t *testing.T, dir string) { takeProxys(t, dir) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := newCA(t, time.Now())
				server, client := load(t, dir, certs.Keyauth), load(t, dir, certs.Proxy)
				good := serial(t, client, server)
				spoil(t, dir)
				<-time.After(aSecond)
				require.Equal(t, good, serial(t, client, server))
				require.ErrorContains(t, server.Err(), "certificate of keyauth")
			})
		})
	}
}

func newCA(t *testing.T, now time.Time) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, certs.Write(dir, []string{certs.Proxy, certs.Keyauth}, nil, now))
	return dir
}

func copyKeyauth(t *testing.T, from, to string) {
	for _, name := range []string{"keyauth/cert.pem", "keyauth/key.pem"} {
		replace(t, to, name, content(t, from, name))
	}
}

func takeProxys(t *testing.T, dir string) {
	replace(t, dir, "keyauth/cert.pem", content(t, dir, "proxy/cert.pem"))
	replace(t, dir, "keyauth/key.pem", content(t, dir, "proxy/key.pem"))
}

// Trust moves from one CA to the next through a file that contains both.
func TestCAIsReplacedWithoutAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, next := newCA(t, time.Now()), newCA(t, time.Now())
		server, client := load(t, dir, certs.Keyauth), load(t, dir, certs.Proxy)
		old, fresh := content(t, dir, "ca/cert.pem"), content(t, next, "ca/cert.pem")
		step := func(ca string) {
			t.Helper()
			replace(t, dir, "ca/cert.pem", ca)
			// One after the other; they must accept each other in between.
			for _, role := range []string{certs.Proxy, certs.Keyauth} {
				write(t, dir, role)
				<-time.After(aSecond)
				serial(t, client, server)
			}
		}
		step(old + fresh)
		replace(t, dir, "ca/key.pem", content(t, next, "ca/key.pem"))
		step(fresh + old)
		step(fresh)
		require.NoError(t, server.Err())
		require.NoError(t, client.Err())
		require.Equal(t, certificate(t, dir, certs.Keyauth).SerialNumber, serial(t, client, server))
		stranger := newCA(t, time.Now())
		_, clientErr, _ := meet(t, load(t, stranger, certs.Proxy).ClientTLS(certs.Keyauth), server.ServerTLS())
		require.Error(t, clientErr)
	})
}

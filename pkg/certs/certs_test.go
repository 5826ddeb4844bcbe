package certs_test

import (
	"crypto/x509"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/certs"
)

func TestRoleOf(t *testing.T) {
	tests := []struct {
		name string
		uris []string
		want string
	}{
		{"one", []string{"signalbox://role/proxy"}, "proxy"},
		{"beside others", []string{"spiffe://example/x", "signalbox://role/keyauth"}, "keyauth"},
		{"none", nil, ""},
		{"foreign", []string{"spiffe://role/proxy"}, ""},
		{"several", []string{"signalbox://role/proxy", "signalbox://role/dashboard"}, ""},
		{"same twice", []string{"signalbox://role/proxy", "signalbox://role/proxy"}, ""},
		{"unknown", []string{"signalbox://role/banker"}, ""},
		{"empty", []string{"signalbox://role/"}, ""},
		{"other host", []string{"signalbox://evil/proxy"}, ""},
		{"longer path", []string{"signalbox://role/proxy/x"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &x509.Certificate{}
			for _, text := range tt.uris {
				u, err := url.Parse(text)
				require.NoError(t, err)
				c.URIs = append(c.URIs, u)
			}
			got, err := certs.RoleOf(c)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.want == "", err != nil)
		})
	}
}

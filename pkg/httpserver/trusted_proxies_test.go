package httpserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhoIsBelieved(t *testing.T) {
	trusted, err := ParseTrustedProxies(" 10.0.0.7, 192.168.0.0/16,fd00::/8 , ")
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		from    string
		forward []string
		want    string
	}{
		"a stranger is not":           {"203.0.113.5:99", []string{"1.2.3.4"}, "203.0.113.5:99"},
		"a neighbour of one is not":   {"10.0.0.8:99", []string{"1.2.3.4"}, "10.0.0.8:99"},
		"a balancer is":               {"10.0.0.7:99", []string{"1.2.3.4"}, "1.2.3.4:0"},
		"mapped":                      {"[::ffff:10.0.0.7]:99", []string{"1.2.3.4"}, "1.2.3.4:0"},
		"v6":                          {"[fd00::1]:99", []string{"2001:db8::7"}, "[2001:db8::7]:0"},
		"what the client invented":    {"10.0.0.7:99", []string{"9.9.9.9, 1.2.3.4"}, "1.2.3.4:0"},
		"in two headers":              {"10.0.0.7:99", []string{"9.9.9.9", "1.2.3.4"}, "1.2.3.4:0"},
		"a chain of balancers":        {"10.0.0.7:99", []string{"9.9.9.9, 1.2.3.4, 192.168.3.3"}, "1.2.3.4:0"},
		"nothing said":                {"10.0.0.7:99", nil, "10.0.0.7:99"},
		"nonsense said":               {"10.0.0.7:99", []string{"evil\"<script>"}, "10.0.0.7:99"},
		"nonsense before a balancer":  {"10.0.0.7:99", []string{"x, 192.168.3.3"}, "192.168.3.3:0"},
		"all of them trusted":         {"10.0.0.7:99", []string{"192.168.1.1, 192.168.3.3"}, "192.168.1.1:0"},
		"a port, which is no address": {"10.0.0.7:99", []string{"1.2.3.4:80"}, "10.0.0.7:99"},
	} {
		r := &http.Request{RemoteAddr: tt.from, Header: http.Header{"X-Forwarded-For": tt.forward}}
		trusted.setClientAddr(r)
		require.Equal(t, tt.want, r.RemoteAddr, name)
	}
	r := &http.Request{RemoteAddr: "10.0.0.7:99", Header: http.Header{"X-Forwarded-For": {"1.2.3.4"}}}
	TrustedProxies(nil).setClientAddr(r)
	require.Equal(t, "10.0.0.7:99", r.RemoteAddr)
	for _, bad := range []string{"10.0.0", "10.0.0.0/33", "localhost", "*"} {
		_, err := ParseTrustedProxies(bad)
		require.ErrorContains(t, err, bad)
	}
}

package rig

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseGreeting(t *testing.T) {
	s := &Box{}
	for _, line := range []string{
		"Signalbox is running.", "  Base URL   http://127.0.0.1:4711/proxy/v1",
		"  Claim      http://127.0.0.1:4711/claim?token=once   (works once)", "  Key        sbx_live_abc   (shown only now)",
	} {
		require.False(t, s.parseGreeting(line))
	}
	require.True(t, s.parseGreeting("  curl -i http://127.0.0.1:4711/proxy/v1/chat/completions"))
	require.Equal(t, []string{"127.0.0.1:4711", "127.0.0.1:4711", "sbx_live_abc"}, []string{s.Edge, s.API, s.Key})
	require.Equal(t, "/claim", s.SignIn)
	require.Equal(t, "once", s.Secret["token"])
}

func TestParseStartupLine(t *testing.T) {
	s := &Box{}
	require.False(t, s.parseStartupLine("starting"))
	require.True(t, s.parseStartupLine(`{"base_url":"http://127.0.0.1:1","dashboard_url":"http://127.0.0.1:2","proxies":["http://127.0.0.1:3"],`+
		`"pids":{"proxy-1":11,"router":12},"key":"sbx_live_abc","operator":{"email":"o@example.com","password":"p"}}`))
	require.Equal(t, []string{"127.0.0.1:3", "127.0.0.1:2", "sbx_live_abc"}, []string{s.Edge, s.API, s.Key})
	require.Equal(t, 11, s.Proxy)
	require.Equal(t, map[string]int{"router": 12}, s.Others, "the proxy is not among its helpers")
	require.Equal(t, "/login", s.SignIn)
	require.Equal(t, map[string]string{"email": "o@example.com", "password": "p"}, s.Secret)
}

func TestProxyPIDs(t *testing.T) {
	box := &Box{Edges: make([]string, 3), Proxy: 7, Others: map[string]int{"proxy-2": 8, "proxy-3": 9, "router": 10}}
	require.Equal(t, []int{7, 8, 9}, box.ProxyPIDs())
}

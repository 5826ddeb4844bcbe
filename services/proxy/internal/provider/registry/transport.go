package registry

import (
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

// newTransport returns the transport of one provider. Each provider has its own
// connections.
func newTransport(p *policy.Provider) egress.Caller {
	c := egress.Config{AllowPrivate: p.AllowPrivate, ConnectTimeout: p.Timeouts.Connect, HTTP2: p.HTTP2}
	switch p.Proxy {
	case "":
		return egress.New(c)
	case policy.ProxyEnv:
		return egress.NewProxied(c, http.ProxyFromEnvironment)
	}
	// The policy names the proxy, so its address may be private. Nothing else is dialled.
	c.AllowPrivate = true
	return egress.NewProxied(c, func(*http.Request) (*url.URL, error) { return url.Parse(p.Proxy) })
}

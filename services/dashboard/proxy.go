package dashboard

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
)

const (
	proxyDialTimeout = 5 * time.Second
	proxyIdleTimeout = 30 * time.Second
	proxyIdleConns   = 16
)

// proxy returns how and where to reach a proxy. In the all-in-one the transport is given,
// and the origin is only a name.
func (c *Config) proxy(given http.RoundTripper) (http.RoundTripper, *url.URL, error) {
	origin, err := config.ParseOrigin("proxy", cmp.Or(c.Proxy, defaultEdgeURL))
	if err != nil || given != nil {
		return given, origin, err
	}
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: proxyDialTimeout}).DialContext,
		TLSHandshakeTimeout: proxyDialTimeout, IdleConnTimeout: proxyIdleTimeout, MaxIdleConnsPerHost: proxyIdleConns,
		// The dashboard relays the bytes as they are.
		DisableCompression: true,
	}, origin, nil
}

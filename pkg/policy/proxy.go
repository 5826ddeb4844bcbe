package policy

import (
	"net/url"
	"slices"
)

// ProxyEnv is the value of Provider.Proxy that selects the proxy in the variables HTTPS_PROXY,
// HTTP_PROXY and NO_PROXY of the proxy process.
const ProxyEnv = "env"

// readProxy reads how calls reach the provider. The messages omit the URL, because the URL may
// contain a password.
func (c *compiler) readProxy(f map[string]value, p Provider) string {
	v, written := f["proxy"]
	if !written {
		return ""
	}
	if p.Kind == kindSandbox {
		c.reportProblem(v, CodeWrongKind, `a sandbox provider makes no calls: remove "proxy"`)
		return ""
	}
	text, ok := c.readString(v)
	if !ok || text == ProxyEnv {
		return text
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && u.User != nil:
		c.reportProblem(v, CodeBadURL, "must not contain a user or a password: write \"proxy: env\" and set HTTPS_PROXY where the proxy process runs")
	case err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme):
		c.reportProblem(v, CodeBadURL, "must be \"env\" or the http, https or socks5 URL of a proxy, such as http://proxy.example:3128")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		c.reportProblem(v, CodeBadURL, "must end after the port of the proxy: remove the path, the query and the fragment")
	default:
		return u.Scheme + "://" + u.Host
	}
	return ""
}

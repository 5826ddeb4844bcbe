package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Trusted are the balancers in front of us: only they are believed when they
// say for whom a request came. The zero value believes nobody.
type Trusted []netip.Prefix

// ParseTrusted reads addresses and ranges such as "10.0.0.7, 10.1.0.0/16".
func ParseTrusted(list string) (Trusted, error) {
	var out Trusted
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(one)
		if addr, addrErr := netip.ParseAddr(one); addrErr == nil {
			prefix, err = addr.Unmap().Prefix(addr.Unmap().BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("trusted proxies: %q is neither an address nor a range like 10.0.0.0/8", one)
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

// client puts the address of the client into the request, in the place of the
// balancer's. Of a chain in X-Forwarded-For it is the last one that no trusted
// hop has put there: all before it may be invented.
func (t Trusted) client(r *http.Request) {
	if len(t) == 0 {
		return
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !t.has(host) {
		return
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			return
		}
		r.RemoteAddr = net.JoinHostPort(hop, "0")
		if !t.has(hop) {
			return
		}
	}
}

func (t Trusted) has(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, p := range t {
		if p.Contains(addr.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// TrustedProxies are the addresses of the load balancers in front of the process. The
// X-Forwarded-For header is accepted only from these addresses. The zero value trusts no address.
type TrustedProxies []netip.Prefix

// ParseTrustedProxies parses a list of addresses and ranges such as "10.0.0.7, 10.1.0.0/16".
func ParseTrustedProxies(list string) (TrustedProxies, error) {
	var out TrustedProxies
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(entry)
		if addr, addrErr := netip.ParseAddr(entry); addrErr == nil {
			prefix, err = addr.Unmap().Prefix(addr.Unmap().BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("trusted proxies: %q is neither an address nor a range such as 10.0.0.0/8", entry)
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

// setClientAddr replaces the load balancer's address in the request with the client's address.
// The client is the last address in X-Forwarded-For that is not a trusted proxy, or the first
// address if all are trusted proxies. Clients can forge all earlier addresses.
func (t TrustedProxies) setClientAddr(r *http.Request) {
	if len(t) == 0 {
		return
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !t.contains(host) {
		return
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			return
		}
		r.RemoteAddr = net.JoinHostPort(hop, "0")
		if !t.contains(hop) {
			return
		}
	}
}

func (t TrustedProxies) contains(host string) bool {
	addr, err := netip.ParseAddr(host)
	addr = addr.Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(t, func(p netip.Prefix) bool { return p.Contains(addr) })
}

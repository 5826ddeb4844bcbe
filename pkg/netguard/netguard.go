// Package netguard distinguishes public internet addresses from all others. Use it for connections
// whose target a user has chosen: providers of a policy and webhooks of an account. Without the check, a
// user could reach internal services. The package neither dials nor resolves names. Callers resolve the
// name, check the address, and dial this address.
package netguard

import (
	"net/netip"
	"slices"
)

// nonPublicRanges lists the ranges to which a user must not connect. The predicates of netip, such as
// IsPrivate, miss several of these ranges. Most cloud metadata services have an address in the
// link-local, unique-local, CGNAT or 192.0.0.0/24 range.
var nonPublicRanges = parsePrefixes(
	"0.0.0.0/8",        // this network; on Linux it reaches the local host
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared (CGNAT)
	"127.0.0.0/8",      // loopback
	"169.254.0.0/16",   // link-local, metadata
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relay
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
	"168.63.129.16/32", // Azure WireServer (metadata), which has a public address
	"::/96",            // unspecified, loopback, IPv4-compatible
	"::ffff:0:0:0/96",  // IPv4-translated
	"64:ff9b::/96",     // NAT64: can contain any IPv4 address
	"64:ff9b:1::/48",   // local NAT64
	"100::/64",         // discard
	"2001::/23",        // protocol assignments, Teredo
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: can contain any IPv4 address
	"3fff::/20",        // documentation
	"5f00::/16",        // segment routing
	"fc00::/7",         // unique local
	"fe80::/10",        // link-local
	"fec0::/10",        // site-local
	"ff00::/8",         // multicast
)

// IsPublic reports whether a is a public internet address. An IPv4 address mapped to IPv6 counts as
// IPv4. An address with a zone is never public.
func IsPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return !slices.ContainsFunc(nonPublicRanges, func(p netip.Prefix) bool { return p.Contains(a) })
}

func parsePrefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}

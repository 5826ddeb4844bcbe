// Package netguard tells the addresses of the open internet from all others,
// for whoever dials where somebody else has said: providers of a policy, and
// webhooks of an account. It dials nothing and resolves nothing; a caller asks
// it about the very address that is about to be dialled.
package netguard

import "net/netip"

// special is every range that nothing public is reached at: netip's own
// predicates miss several of them. The metadata services of clouds are inside
// link-local, unique-local, CGNAT and 192.0.0.0/24.
var special = prefixes(
	"0.0.0.0/8",        // this network; Linux dials itself
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
	"168.63.129.16/32", // a cloud's wire server in public space
	"::/96",            // unspecified, loopback, IPv4-compatible
	"::ffff:0:0:0/96",  // IPv4-translated
	"64:ff9b::/96",     // NAT64: any IPv4 address hides in it
	"64:ff9b:1::/48",   // local NAT64
	"100::/64",         // discard
	"2001::/23",        // protocol assignments, Teredo
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: any IPv4 address hides in it
	"3fff::/20",        // documentation
	"5f00::/16",        // segment routing
	"fc00::/7",         // unique local
	"fe80::/10",        // link-local
	"fec0::/10",        // site-local
	"ff00::/8",         // multicast
)

// Public reports whether a is an address of the open internet. An IPv4 address
// written as IPv6 is judged as what it is; one with a zone is never public.
func Public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}

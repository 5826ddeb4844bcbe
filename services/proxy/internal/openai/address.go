package openai

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	links = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>` + "`" + `]+`)
	// hosts finds what may be an address: runs of what those are written with.
	hosts = regexp.MustCompile(`\[?[A-Za-z0-9_:.%-]*[.:][A-Za-z0-9_:.%-]*\]?(?::\d+)?`)
	// dialled is what stands before a host without a dot.
	dialled = regexp.MustCompile(`(?i)(?:\b(?:dial|tcp|udp|host|connect|connecting|connected|upstream|server|backend|at|to|from)\s+|@)["']?$`)
)

// inside are the last labels of names that mean nothing outside of a house,
// and the labels that betray one elsewhere in a name.
var inside = []string{"internal", "local", "localdomain", "localhost", "lan", "corp", "intra", "intranet", "private", "svc", "cluster", "consul"}

// hideAddresses takes out URLs that have credentials in them, and every
// address but those of public hosts. Numbers with a colon, as people write
// limits and models, stay.
func hideAddresses(words string) string {
	words = links.ReplaceAllStringFunc(words, hideLink)
	var out strings.Builder
	last := 0
	for _, at := range hosts.FindAllStringIndex(words, -1) {
		word := strings.TrimRight(words[at[0]:at[1]], ".:-%")
		if !isAddress(word, words[:at[0]]) {
			continue
		}
		out.WriteString(words[last:at[0]])
		out.WriteString(hidden)
		last = at[0] + len(word)
	}
	out.WriteString(words[last:])
	return out.String()
}

// hideLink keeps links to public hosts: to documents, schemas and pictures.
func hideLink(link string) string {
	end := len(strings.TrimRight(link, ".,;:!?)]}"))
	u, err := url.Parse(link[:end])
	if err == nil && u.User == nil && u.Port() == "" && isPublic(u.Hostname()) {
		return link
	}
	return hidden + link[end:]
}

// isPublic tells whether a name may be one that everybody knows.
func isPublic(host string) bool {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if _, err := netip.ParseAddr(host); err == nil || len(labels) < 2 {
		return false
	}
	return !slices.ContainsFunc(labels[1:], func(label string) bool { return slices.Contains(inside, label) })
}

// isAddress judges one word; before is what precedes it.
func isAddress(word, before string) bool {
	if _, err := netip.ParseAddrPort(word); err == nil {
		return true
	}
	if ip, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		return ip.Is4() || len(word) > 3
	}
	host, port, found := strings.Cut(word, ":")
	dotted := strings.Contains(host, ".") && isHost(host)
	if !found {
		return dotted && !isPublic(host)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 10 || n > 65535 {
		return dotted && !isPublic(host)
	}
	if dotted || !isHost(host) {
		return dotted
	}
	return strings.EqualFold(host, "localhost") || slices.Contains(services, n) || dialled.MatchString(before[max(0, len(before)-16):])
}

// services are ports that are no round number of anything else.
var services = []int{2379, 3306, 5432, 5672, 6379, 8080, 8443, 9092, 9200, 11434, 27017}

// isHost tells a host's name from a member's or a version's: its last label
// begins with a letter, and no label is empty or has an underscore.
func isHost(name string) bool {
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-1]; last == "" || last[0] < 'A' {
		return false
	}
	return !slices.Contains(labels, "") && !strings.ContainsAny(name, "_%")
}

package upstreamerror

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	urlPattern = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>` + "`" + `]+`)
	// hostPattern finds strings that may be addresses, by their characters.
	hostPattern = regexp.MustCompile(`\[?[A-Za-z0-9_:.%-]*[.:][A-Za-z0-9_:.%-]*\]?(?::\d+)?`)
	// hostContextPattern matches the text before a host name without a dot.
	hostContextPattern = regexp.MustCompile(`(?i)(?:\b(?:dial|tcp|udp|host|connect|connecting|connected|upstream|server|backend|at|to|from)\s+|@)["']?$`)
)

// internalLabels are DNS labels that mark a private host name. The first label of a
// name is not compared with them.
var internalLabels = []string{"internal", "local", "localdomain", "localhost", "lan", "corp", "intra", "intranet", "private", "svc", "cluster", "consul"}

// redactAddresses removes IP addresses, private host names and hosts with a port. It keeps
// most URLs of public hosts. It keeps numbers after a colon, as in limits and model names.
func redactAddresses(text string) string {
	text = urlPattern.ReplaceAllStringFunc(text, redactURL)
	var out strings.Builder
	last := 0
	for _, at := range hostPattern.FindAllStringIndex(text, -1) {
		word := strings.TrimRight(text[at[0]:at[1]], ".:-%")
		if !isAddress(word, text[:at[0]]) {
			continue
		}
		out.WriteString(text[last:at[0]])
		out.WriteString(redactionMark)
		last = at[0] + len(word)
	}
	out.WriteString(text[last:])
	return out.String()
}

// redactURL keeps URLs of public hosts, unless they contain a port or a user name.
func redactURL(link string) string {
	end := len(strings.TrimRight(link, ".,;:!?)]}"))
	u, err := url.Parse(link[:end])
	if err == nil && u.User == nil && u.Port() == "" && isPublicHost(u.Hostname()) {
		return link
	}
	return redactionMark + link[end:]
}

// isPublicHost reports whether a host name has the form of a public name.
func isPublicHost(host string) bool {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if _, err := netip.ParseAddr(host); err == nil || len(labels) < 2 {
		return false
	}
	return !slices.ContainsFunc(labels[1:], func(label string) bool { return slices.Contains(internalLabels, label) })
}

// isAddress reports whether word must be redacted: an IP address, a private host name,
// or a host with a port. before is the text before word. It helps to recognize host
// names without a dot.
func isAddress(word, before string) bool {
	if _, err := netip.ParseAddrPort(word); err == nil {
		return true
	}
	if ip, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		return ip.Is4() || len(word) > 3
	}
	host, port, found := strings.Cut(word, ":")
	dotted := strings.Contains(host, ".") && isHostName(host)
	if !found {
		return dotted && !isPublicHost(host)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 10 || n > 65535 {
		return dotted && !isPublicHost(host)
	}
	if dotted || !isHostName(host) {
		return dotted
	}
	return strings.EqualFold(host, "localhost") || slices.Contains(servicePorts, n) || hostContextPattern.MatchString(before[max(0, len(before)-16):])
}

// servicePorts are common ports of services. After a colon, such a number is almost
// always a port.
var servicePorts = []int{2379, 3306, 5432, 5672, 6379, 8080, 8443, 9092, 9200, 11434, 27017}

// isHostName distinguishes host names from field paths and versions. The last label of
// a host name starts with a letter. No label is empty or contains an underscore.
func isHostName(name string) bool {
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-1]; last == "" || last[0] < 'A' {
		return false
	}
	return !slices.Contains(labels, "") && !strings.ContainsAny(name, "_%")
}

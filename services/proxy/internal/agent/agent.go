// Package agent names the client program that sent a request, such as claude-code or
// openai-python. The name is for records and filters. It never grants anything, because
// clients choose their headers freely.
//
// Most names come from closed tables (programs.go, sdk.go). A program that the tables do
// not contain gets the product token of its User-Agent in a short form (token.go). No other
// part of a header is ever returned.
package agent

// Header holds the headers of a request by canonical name, like http.Header.
type Header = map[string][]string

// Identify returns the short name of the client program, or "" if the headers do not name
// it. The name has at most 32 bytes of a-z, 0-9, dot, underscore and dash. known means that
// the name comes from a closed table. Otherwise it is text of the client (see Product), which
// must be checked for secrets before it is stored.
func Identify(h Header) (name string, known bool) {
	if name := byOwnHeader(h); name != "" {
		return name, true
	}
	userAgent := firstValue(h, "User-Agent")
	var scratch [maxName]byte
	product := appendLower(scratch[:0], Product(userAgent))
	if name := byProduct(product); name != "" {
		return name, true
	}
	if name := bySDK(h, userAgent, product); name != "" {
		return name, true
	}
	if name, ok := plainClients[string(product)]; ok {
		return name, true
	}
	return shortName(Product(userAgent)), false
}

// byOwnHeader recognises programs by a header that only they send. Some of them send the
// User-Agent of the SDK that they use.
func byOwnHeader(h Header) string {
	if firstValue(h, "X-Claude-Code-Session-Id") != "" {
		return "claude-code"
	}
	var scratch [maxName]byte
	if originator := firstValue(h, "Originator"); originator != "" {
		if name := byProduct(appendLower(scratch[:0], Product(originator))); name != "" {
			return name
		}
	}
	if title := firstValue(h, "X-Title"); title != "" {
		return titles[string(appendLower(scratch[:0], title))]
	}
	return ""
}

// firstValue returns the first value of a header. The name must be in canonical form.
func firstValue(h Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

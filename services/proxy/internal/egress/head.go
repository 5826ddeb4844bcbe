package egress

import (
	"net/http"
	"strconv"
	"strings"
)

// appendHead writes the request's line and header. The header is ours alone:
// its names and values come from the policy and are checked there; what could
// still begin a line of its own is left out.
func appendHead(b []byte, req *http.Request) []byte {
	b = append(b, req.Method...)
	b = append(b, ' ')
	b = append(b, req.URL.RequestURI()...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, req.URL.Host...)
	for name, values := range req.Header {
		for _, v := range values {
			b = append(b, "\r\n"...)
			b = append(b, name...)
			b = append(b, ": "...)
			b = appendValue(b, v)
		}
	}
	b = append(b, "\r\nContent-Length: "...)
	b = strconv.AppendInt(b, max(req.ContentLength, 0), 10)
	return append(b, "\r\n\r\n"...)
}

func appendValue(b []byte, v string) []byte {
	if !strings.ContainsAny(v, "\r\n\x00") {
		return append(b, v...)
	}
	for i := range len(v) {
		if c := v[i]; c != '\r' && c != '\n' && c != 0 {
			b = append(b, c)
		}
	}
	return b
}

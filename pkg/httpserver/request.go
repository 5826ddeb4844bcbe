package httpserver

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// readRequest reads and checks the headers of the next request. It is stricter than net/http, which
// joins folded lines, merges equal lengths, and drops Content-Length beside Transfer-Encoding. A load
// balancer that resolves such faults differently could pass the end of one request on as the start
// of another client's request (RFC 9112, section 6.1).
func (c *conn) readRequest() (http.Request, error) {
	if err := c.readHead(); err != nil {
		return http.Request{}, err
	}
	p := requestParser{rest: string(c.head)}
	if err := p.parse(); err != nil {
		return http.Request{}, err
	}
	p.request.RemoteAddr = c.remote
	return p.request, nil
}

// requestParser parses the headers of one request. All texts of the request are parts of one string.
type requestParser struct {
	rest    string
	request http.Request
	// See takeFraming.
	host, length, encoding framingHeader
}

// framingHeader is the last value of a header, and how often the header occurs.
type framingHeader struct {
	value string
	count int
}

func (h *framingHeader) add(value string) {
	h.value = value
	h.count++
}

func (p *requestParser) parse() error {
	line, err := p.nextLine()
	if err != nil {
		return err
	}
	if err := p.parseRequestLine(line); err != nil {
		return err
	}
	if err := p.parseHeaders(); err != nil {
		return err
	}
	if err := p.chooseHost(); err != nil {
		return err
	}
	if err := p.chooseFraming(); err != nil {
		return err
	}
	p.chooseClose()
	return p.checkExpectation()
}

// nextLine returns the next line without its end.
func (p *requestParser) nextLine() (string, error) {
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	line = strings.TrimSuffix(line, "\r")
	if strings.IndexByte(line, '\r') >= 0 {
		return "", invalid("a header contains a carriage return")
	}
	return line, nil
}

func (p *requestParser) parseRequestLine(line string) error {
	r := &p.request
	method, rest, hasTarget := strings.Cut(line, " ")
	target, proto, hasProto := strings.Cut(rest, " ")
	major, minor, isVersion := http.ParseHTTPVersion(proto)
	switch {
	case !hasTarget || !hasProto || !isVersion:
		return invalid("malformed request line")
	case major != 1:
		return unsupportedVersionError()
	case !httpguts.ValidHeaderFieldName(method): // a method has the same characters
		return invalid("invalid method")
	}
	r.Method, r.RequestURI, r.Proto, r.ProtoMajor, r.ProtoMinor = method, target, proto, major, minor
	return p.parseTarget(target)
}

// parseTarget parses the target. That of CONNECT is only a host.
func (p *requestParser) parseTarget(target string) (err error) {
	isHost := p.request.Method == http.MethodConnect && !strings.HasPrefix(target, "/")
	if isHost {
		target = "http://" + target
	}
	if p.request.URL, err = url.ParseRequestURI(target); err != nil {
		return invalid("malformed target")
	}
	if isHost {
		p.request.URL.Scheme = ""
	}
	return nil
}

func (p *requestParser) parseHeaders() error {
	count := min(strings.Count(p.rest, "\n"), manyHeaders)
	values := make([]string, 0, count)
	p.request.Header = make(http.Header, count)
	for {
		line, err := p.nextLine()
		if err != nil || line == "" {
			return err
		}
		name, value, err := splitHeader(line)
		if err != nil {
			return err
		}
		if p.takeFraming(name, value) {
			continue
		}
		if earlier, ok := p.request.Header[name]; ok {
			p.request.Header[name] = append(earlier, value)
			continue
		}
		values = append(values, value)
		p.request.Header[name] = values[len(values)-1 : len(values) : len(values)]
	}
}

// manyHeaders is the number of headers up to which their memory is allocated at once.
const manyHeaders = 64

func splitHeader(line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, ":")
	value = textproto.TrimString(value)
	switch {
	case line[0] == ' ' || line[0] == '\t':
		return "", "", invalid("a header continues on a second line")
	case !ok:
		return "", "", invalid("a header has no colon")
	case !httpguts.ValidHeaderFieldName(name):
		return "", "", invalid("invalid header name")
	case !httpguts.ValidHeaderFieldValue(value):
		return "", "", invalid("invalid header value")
	}
	return textproto.CanonicalMIMEHeaderKey(name), value, nil
}

// takeFraming remembers the headers that decide where the request ends, and its host. It returns true for
// those that are not part of Request.Header, as in net/http.
func (p *requestParser) takeFraming(name, value string) bool {
	switch name {
	case "Host":
		p.host.add(value)
	case "Content-Length":
		p.length.add(value)
		return false
	case "Transfer-Encoding":
		p.encoding.add(value)
	default:
		return false
	}
	return true
}

func (p *requestParser) chooseHost() error {
	r := &p.request
	switch {
	case p.host.count == 0 && r.ProtoMinor > 0:
		return invalid("missing required Host header")
	case p.host.count > 1:
		return invalid("too many Host headers")
	case p.host.count == 1 && !httpguts.ValidHostHeader(p.host.value):
		return invalid("malformed Host header")
	}
	r.Host = r.URL.Host
	if r.Host == "" && p.host.count == 1 {
		r.Host = p.host.value
	}
	return nil
}

// chooseFraming decides how long the body is.
func (p *requestParser) chooseFraming() error {
	r := &p.request
	switch {
	case p.length.count > 0 && p.encoding.count > 0:
		return invalid("the request has both Content-Length and Transfer-Encoding; send one of them")
	case p.length.count > 1 || p.encoding.count > 1:
		return invalid("the request has several Content-Length or Transfer-Encoding headers; send one")
	case p.encoding.count == 1:
		return p.chooseEncoding()
	case p.length.count == 1:
		length, err := strconv.ParseUint(p.length.value, 10, 63)
		if err != nil {
			return invalid("bad Content-Length")
		}
		r.ContentLength = int64(length)
	}
	return nil
}

func (p *requestParser) chooseEncoding() error {
	r := &p.request
	switch {
	case r.ProtoMinor == 0:
		return invalid("HTTP/1.0 does not support Transfer-Encoding; use HTTP/1.1")
	case !isASCIIFold(p.encoding.value, "chunked"):
		return apperr.New(apperr.InvalidRequest, "the transfer encoding is not supported; use chunked or a Content-Length")
	}
	r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	return nil
}

// chooseClose decides whether the connection is closed after the request.
func (p *requestParser) chooseClose() {
	r := &p.request
	connection := r.Header["Connection"]
	r.Close = httpguts.HeaderValuesContainsToken(connection, "close") ||
		r.ProtoMinor == 0 && !httpguts.HeaderValuesContainsToken(connection, "keep-alive")
}

func (p *requestParser) checkExpectation() error {
	r := &p.request
	if expect := r.Header.Get("Expect"); expect != "" && !isContinue(r) {
		return apperr.New(apperr.ExpectationFailed, "the header Expect supports only 100-continue; remove the header")
	}
	return nil
}

// isASCIIFold compares without case. EqualFold alone takes the Kelvin sign for a k.
func isASCIIFold(value, token string) bool {
	return len(value) == len(token) && strings.EqualFold(value, token)
}

func isContinue(r *http.Request) bool {
	return httpguts.HeaderValuesContainsToken(r.Header["Expect"], "100-continue")
}

func invalid(reason string) error {
	return apperr.New(apperr.InvalidRequest, "the request is not valid HTTP: "+reason)
}

func unsupportedVersionError() *apperr.Error {
	return apperr.New(apperr.HTTPVersionNotSupported, "this HTTP version is not supported; use HTTP/1.1")
}

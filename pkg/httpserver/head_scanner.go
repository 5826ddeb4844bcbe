package httpserver

import "bytes"

// headScanner reads the raw headers of a request and finds faults in its framing. net/http resolves
// these faults silently: it joins folded lines, merges equal lengths, and drops Content-Length
// beside Transfer-Encoding. A load balancer that resolves them differently could pass the end of one
// request on as the start of another client's request (RFC 9112, section 6.1).
type headScanner struct {
	// partial is the start of a line whose end has not arrived. net/http limits its size, because it
	// stops reading at MaxHeader.
	partial   []byte
	started   bool
	complete  bool
	isHTTP10  bool
	hasLine   bool
	lengths   int
	encodings int
	fault     string
}

// scan reads the next bytes. It ignores what follows the headers.
func (s *headScanner) scan(b []byte) {
	for len(b) > 0 && !s.complete {
		line, rest, ok := bytes.Cut(b, []byte("\n"))
		if !ok {
			s.partial = append(s.partial, b...)
			return
		}
		if s.partial != nil {
			line = append(s.partial, line...)
			s.partial = nil
		}
		s.scanLine(bytes.TrimSuffix(line, []byte("\r")))
		b = rest
	}
}

func (s *headScanner) scanLine(line []byte) {
	switch {
	case !s.hasLine && len(bytes.Trim(line, "\r")) == 0:
		// net/http skips empty lines before a request that follows a POST.
	case !s.hasLine:
		s.hasLine, s.isHTTP10 = true, bytes.HasSuffix(line, []byte("HTTP/1.0"))
	case len(line) == 0:
		s.complete = true
		s.checkFraming()
	case line[0] == ' ' || line[0] == '\t':
		s.fault = "a header continues on a second line"
	case bytes.IndexByte(line, '\r') >= 0:
		s.fault = "a header contains a carriage return"
	default:
		s.countFramingHeader(line)
	}
}

func (s *headScanner) countFramingHeader(line []byte) {
	name, _, _ := bytes.Cut(line, []byte(":"))
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		s.lengths++
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		s.encodings++
	}
}

func (s *headScanner) checkFraming() {
	switch {
	case s.lengths > 0 && s.encodings > 0:
		s.fault = "the request has both Content-Length and Transfer-Encoding; send one of them"
	case s.lengths > 1 || s.encodings > 1:
		s.fault = "the request has several Content-Length or Transfer-Encoding headers; send one"
	case s.isHTTP10 && s.encodings > 0:
		s.fault = "HTTP/1.0 does not support Transfer-Encoding; use HTTP/1.1"
	}
}

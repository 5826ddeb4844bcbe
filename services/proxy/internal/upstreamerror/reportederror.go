package upstreamerror

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	// maxErrorBody limits how many bytes of an error body are read.
	maxErrorBody = 64 << 10
	// maxUpstreamText limits the length of an upstream's text that is passed on.
	maxUpstreamText = 2 << 10
	// maxErrorNameLength limits the length of one code or type of an error.
	// maxErrorNamesLength limits the length of all codes and types together.
	maxErrorNameLength  = 64
	maxErrorNamesLength = 1 << 10
)

// reportedError is an error as the upstream describes it.
type reportedError struct {
	message string
	// extraText is text other than the message. It is never shown to clients.
	extraText string
	// code is the upstream's error code. Clients see it. names holds all codes and types
	// of the error in lower case, separated by spaces, for classification.
	code  string
	names string
	// status is the HTTP status in the body, or 0.
	status int
	// param is the field to which the error refers. categories are the findings of a
	// content filter.
	param      string
	categories []string
	// delay is how long to wait before a retry. isDaily is set for a daily quota.
	delay   time.Duration
	isDaily bool
	// limit and requested are token counts. They are set if the request exceeds the
	// model's context.
	limit, requested int64
	// nested is set while details inside the error are read.
	nested bool
}

// parseReportedError parses {"error":{"message":...}}, {"error":"..."},
// {"message":...}, {"detail":...}, arrays of these, and the details that vendors
// add. If the body is plain text, the text becomes the message. HTML pages and broken
// JSON have no message. In the result, credentials and private addresses are redacted in
// message, code and param.
func parseReportedError(body []byte) reportedError {
	var f reportedError
	var s jsonscan.Reader
	s.ResetLimited(bytes.ToValidUTF8(body[:min(len(body), maxErrorBody)], nil), true)
	f.readValue(&s)
	plain := bytes.TrimSpace(s.Source())
	if s.Err() != nil && len(plain) > 0 && bytes.IndexByte([]byte("<{["), plain[0]) < 0 {
		f.addText(string(plain))
	}
	f.parseContextSize()
	f.message = redactText(truncateText(f.message, maxUpstreamText))
	f.code, f.param = textOrEmpty(redactText(f.code)), textOrEmpty(redactText(truncateText(f.param, maxErrorNameLength)))
	return f
}

func (f *reportedError) readValue(s *jsonscan.Reader) {
	switch {
	case s.Enter(jsonscan.BeginArray):
		for s.NextElement() {
			f.readValue(s)
		}
	case s.Enter(jsonscan.BeginObject):
		for s.NextMember() {
			f.readMember(s)
		}
	default:
		f.addText(jsonscan.DecodeText(s.Value()))
	}
}

func (f *reportedError) readMember(s *jsonscan.Reader) {
	switch string(s.Name()) {
	case "error", "detail", "errors", "message", "msg", "status_msg":
		f.readValue(s)
	case "code", "type", "status", "status_code", "error_type", "error_code", "__type":
		f.addName(string(s.Name()) == "code" && !f.nested, s.Value())
	case "reason":
		if v := s.Value(); f.nested {
			f.addName(false, v)
		}
	case "param":
		f.setParam(jsonscan.DecodeText(s.Value()))
	case "loc":
		f.readLocation(s)
	case "details", "metadata", "innererror", "base_resp":
		f.readNested(s)
	default:
		f.readVendorDetail(s)
	}
}

// readNested reads details inside the error.
func (f *reportedError) readNested(s *jsonscan.Reader) {
	wasNested := f.nested
	f.nested = true
	f.readValue(s)
	f.nested = wasNested
}

// addText adds a text. The first readable text outside the details is the message.
func (f *reportedError) addText(message string) {
	if f.message == "" && !f.nested && textOrEmpty(message) != "" {
		f.message = message
		return
	}
	f.extraText = truncateText(f.extraText+" "+message, maxUpstreamText)
}

// addName adds a code or type of the error. A number from 400 to 599 sets the status
// instead. Other numbers are ignored.
func (f *reportedError) addName(isCode bool, v jsontext.Value) {
	name := string(v)
	if jsonscan.IsString(v) {
		name = jsonscan.DecodeText(v)
	}
	name = truncateText(name, maxErrorNameLength)
	if n, err := strconv.Atoi(name); err == nil {
		if n >= 400 && n < 600 {
			f.status = n
		}
		return
	}
	if jsonscan.IsNull(v) {
		return
	}
	if isCode || f.code == "" {
		f.code = name
	}
	if len(f.names) < maxErrorNamesLength {
		f.names += strings.ToLower(name) + " "
	}
}

// hasName reports whether the error's names contain any of the parts.
func (f *reportedError) hasName(parts ...string) bool { return containsAny(f.names, parts) }

// hasPhrase reports whether the upstream's text contains any of the phrases.
func (f *reportedError) hasPhrase(phrases ...string) bool {
	return containsAny(strings.ToLower(f.message), phrases) || containsAny(strings.ToLower(f.extraText), phrases)
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// textOrEmpty returns s, or "" if s contains control characters other than line breaks and
// tabs. Compressed data contains such characters, for example.
func textOrEmpty(s string) string {
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return ""
		}
	}
	return s
}

// truncateText returns at most n bytes of s, cut at a rune boundary.
func truncateText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

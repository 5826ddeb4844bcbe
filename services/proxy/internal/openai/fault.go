package openai

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxFault is as much of an error as is read.
	maxFault = 64 << 10
	// maxUpstreamText is how much of an upstream's own words is passed on.
	maxUpstreamText = 2 << 10
	// maxWord and maxWords bound the names of an error.
	maxWord  = 64
	maxWords = 1 << 10
)

// fault is what an upstream says went wrong.
type fault struct {
	message string
	// more is what it says beside the message, which is for us alone.
	more string
	// code is the upstream's own, for people; words has all names it gives
	// the error, in lower case, for us.
	code  string
	words string
	// status is the HTTP status named in the body; 0 if there is none.
	status int
	// param is the field that it is about, and categories are what a filter
	// found.
	param      string
	categories []string
	// delay is how long to wait, and daily whether it is for a day's quota.
	delay time.Duration
	daily bool
	// limit and requested are tokens of a context that is too small.
	limit, requested int64
	// deep is set inside of what explains the error.
	deep bool
}

// readFault understands the shapes that occur: {"error":{"message":...}},
// {"error":"..."}, {"message":...}, {"detail":...}, and an array of those, with
// what vendors put beside the message. Of anything else that is text, the text
// is the message; a page of HTML has none and broken JSON neither. Credentials,
// addresses and control characters are not in the result.
func readFault(body []byte) fault {
	var f fault
	var s scanner
	s.reset(bytes.ToValidUTF8(body[:min(len(body), maxFault)], nil), true)
	f.read(&s)
	plain := bytes.TrimSpace(s.src)
	if s.err != nil && len(plain) > 0 && bytes.IndexByte([]byte("<{["), plain[0]) < 0 {
		f.say(string(plain))
	}
	f.measure()
	f.message = hide(head(f.message, maxUpstreamText))
	f.code, f.param = readable(hide(f.code)), readable(hide(head(f.param, maxWord)))
	return f
}

func (f *fault) read(s *scanner) {
	switch s.kind() {
	case jsontext.KindBeginArray:
		s.token()
		for s.element() {
			f.read(s)
		}
	case jsontext.KindBeginObject:
		s.token()
		for s.member() {
			f.member(s)
		}
	default:
		f.say(text(s.value()))
	}
}

func (f *fault) member(s *scanner) {
	switch string(s.name) {
	case "error", "detail", "errors", "message", "msg", "status_msg":
		f.read(s)
	case "code", "type", "status", "status_code", "error_type", "error_code", "__type":
		f.name(string(s.name) == "code" && !f.deep, s.value())
	case "reason":
		if v := s.value(); f.deep {
			f.name(false, v)
		}
	case "param":
		f.about(text(s.value()))
	case "loc":
		f.location(s)
	case "details", "metadata", "innererror", "base_resp":
		f.inside(s)
	default:
		f.detail(s)
	}
}

func (f *fault) inside(s *scanner) {
	deep := f.deep
	f.deep = true
	f.read(s)
	f.deep = deep
}

// say takes a sentence. One that is no text is never quoted.
func (f *fault) say(message string) {
	if f.message == "" && !f.deep && readable(message) != "" {
		f.message = message
		return
	}
	f.more = head(f.more+" "+message, maxUpstreamText)
}

// name takes a name of the error, which may be an HTTP status.
func (f *fault) name(isCode bool, v jsontext.Value) {
	word := string(v)
	if isText(v) {
		word = text(v)
	}
	word = head(word, maxWord)
	if n, err := strconv.Atoi(word); err == nil {
		if n >= 400 && n < 600 {
			f.status = n
		}
		return
	}
	if isNull(v) {
		return
	}
	if isCode || f.code == "" {
		f.code = word
	}
	if len(f.words) < maxWords {
		f.words += strings.ToLower(word) + " "
	}
}

// has tells whether any of the parts is in the error's names.
func (f *fault) has(parts ...string) bool { return containsAny(f.words, parts) }

// says tells whether the upstream's words have any of the phrases.
func (f *fault) says(phrases ...string) bool {
	return containsAny(strings.ToLower(f.message), phrases) || containsAny(strings.ToLower(f.more), phrases)
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// readable is s, or nothing where it has bytes that no text has, as compressed
// ones do.
func readable(s string) string {
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return ""
		}
	}
	return s
}

// head is at most n bytes of s, cut between two runes.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

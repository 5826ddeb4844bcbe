package redact

import "bytes"

// scanAssignment examines the colon or equals sign at i, the name before it and the value
// after it. It returns where to continue.
func (f *finder) scanAssignment(i int) int {
	if bytes.HasPrefix(f.text[i:], []byte("://")) {
		return f.scanUserinfo(i + len("://"))
	}
	name, spaced := f.findNameBefore(i)
	what := classifyName(name)
	if what == classPlain || what == classPhone {
		return i + 1
	}
	from, line := f.findValueStart(i + 1)
	spaced = spaced || from > i+1 && isBlank(f.text[from-1])
	if what == classSecret && f.redactNested(from) {
		return i + 1 // the object may contain more than strings
	}
	v := f.parseValue(from, f.text[i] == '=' && !spaced)
	if !f.isSecretValue(v, what) || line && !v.quoted && (f.text[i] == '=' || !f.endsLine(v)) ||
		bytes.EqualFold(name, []byte("pwd")) && f.text[v.from] == '/' {
		return i + 1
	}
	f.addSpan(v.from, v.to, kindPassword)
	if v.quoted {
		return v.from // the quotes may enclose more, such as a whole object
	}
	return v.to
}

// findNameBefore returns the name before a colon or equals sign, and whether a space is
// between them. The name may be quoted, in brackets or in bold.
func (f *finder) findNameBefore(i int) (name []byte, spaced bool) {
	t, end := f.text, i
	for end > 0 && t[end-1] == ' ' && i-end < 2 {
		end--
		spaced = true
	}
	if end > 1 && (t[end-1] == ']' || t[end-1] == '*' && t[end-2] == '*') {
		end--
	}
	if end > 0 && (isQuote(t[end-1]) || t[end-1] == '*') {
		end--
	}
	from := f.findNameStart(end, end)
	if last := t[from:end]; bytes.EqualFold(last, []byte("key")) || bytes.EqualFold(last, []byte("token")) {
		// The preceding word says what the key or token is for, as in "api key".
		if from > 0 && t[from-1] == ' ' {
			from = f.findNameStart(from-1, end)
		}
	}
	return t[from:end], spaced
}

// findNameStart searches backwards from position at and returns the start of the name. The
// name ends before position end.
func (f *finder) findNameStart(at, end int) int {
	for at > 0 && end-at < maxNameLen && isTokenByte(f.text, at-1) {
		at--
	}
	return at
}

// findValueStart returns where the value after a colon or equals sign begins, and whether
// it begins on a later line.
func (f *finder) findValueStart(at int) (from int, otherLine bool) {
	t := f.text
	if at < len(t) && (t[at] == '=' || t[at] == '>') {
		at++
	}
	if bytes.HasPrefix(t[at:], []byte("** ")) {
		at += len("**")
	}
	from = at
	for from < len(t) && isBlank(t[from]) {
		otherLine = otherLine || t[from] == '\n' || t[from] == '\r'
		from++
	}
	f.steps += from - at
	return from, otherLine
}

// scanUserinfo looks for a user name with a password after the scheme of a URL, at position
// from.
// It returns where to continue.
func (f *finder) scanUserinfo(from int) int {
	const longest = 256
	colon := false
	for i := from; i < min(len(f.text), from+longest); i++ {
		f.steps++
		switch c := f.text[i]; {
		case c == '@':
			if colon {
				f.addSpan(from, i, kindPassword)
				return i + 1
			}
			return from
		case c == ':':
			colon = true
		case c <= ' ' || bytes.IndexByte([]byte(`/"'<>?#\`), c) >= 0:
			return from
		}
	}
	return from
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

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
		return i + 1 // scan inside the list or object too: it may contain other sensitive data
	}
	v := f.parseValue(from, f.text[i] == '=' && !spaced)
	if !f.isSecretValue(v, what) || line && !v.quoted && (f.text[i] == '=' || !f.endsLine(v)) ||
		bytes.EqualFold(name, []byte("pwd")) && f.text[v.from] == '/' {
		return i + 1
	}
	f.addSpan(v.from, v.to, kindPassword)
	if v.quoted {
		return v.from // scan inside the quotes too: the text may be an object with further names
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

// findNameStart returns the start of the name that ends before nameEnd. It searches backwards
// from offset.
func (f *finder) findNameStart(offset, nameEnd int) int {
	for offset > 0 && nameEnd-offset < maxNameLen && isTokenByte(f.text, offset-1) {
		offset--
	}
	return offset
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

// scanUserinfo looks for a user name and a password in a URL. offset is the position after the
// scheme. scanUserinfo returns where to continue.
func (f *finder) scanUserinfo(offset int) int {
	const longest = 256
	colon := false
	for i := offset; i < min(len(f.text), offset+longest); i++ {
		f.steps++
		switch c := f.text[i]; {
		case c == '@':
			if colon {
				f.addSpan(offset, i, kindPassword)
				return i + 1
			}
			return offset
		case c == ':':
			colon = true
		case c <= ' ' || bytes.IndexByte([]byte(`/"'<>?#\`), c) >= 0:
			return offset
		}
	}
	return offset
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

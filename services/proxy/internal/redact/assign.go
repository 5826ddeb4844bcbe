package redact

import "bytes"

// assignment looks at what is written around a colon or an equals sign.
func (f *finder) assignment(i int) int {
	if bytes.HasPrefix(f.text[i:], []byte("://")) {
		return f.userinfo(i + len("://"))
	}
	name, spaced := f.nameBefore(i)
	what := meaning(name)
	if what == plain || what == phone {
		return i + 1
	}
	from, line := f.valueBegin(i + 1)
	spaced = spaced || from > i+1 && isBlank(f.text[from-1])
	if what == secret && f.nested(from) {
		return i + 1 // there may be more in it than strings
	}
	v := f.value(from, f.text[i] == '=' && !spaced)
	if !f.isSecret(v, what) || line && !v.quoted && (f.text[i] == '=' || !f.isAlone(v)) ||
		bytes.EqualFold(name, []byte("pwd")) && f.text[v.from] == '/' {
		return i + 1
	}
	f.add(v.from, v.to, kindPassword)
	if v.quoted {
		return v.from // the quotes may have been others' than they seem
	}
	return v.to
}

// nameBefore is the name before a sign, which may be quoted, in brackets or in
// bold, and whether there is a space between them.
func (f *finder) nameBefore(i int) (name []byte, spaced bool) {
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
	from := f.nameBegin(end, end)
	if last := t[from:end]; bytes.EqualFold(last, []byte("key")) || bytes.EqualFold(last, []byte("token")) {
		// Only the word before says what it is for.
		if from > 0 && t[from-1] == ' ' {
			from = f.nameBegin(from-1, end)
		}
	}
	return t[from:end], spaced
}

// nameBegin is where a name begins that goes on at least to at, and to end.
func (f *finder) nameBegin(at, end int) int {
	for at > 0 && end-at < longestName && isToken(f.text, at-1) {
		at--
	}
	return at
}

// valueBegin is where a value begins behind a sign, and whether that is on
// another line.
func (f *finder) valueBegin(at int) (from int, line bool) {
	t := f.text
	if at < len(t) && (t[at] == '=' || t[at] == '>') {
		at++
	}
	if bytes.HasPrefix(t[at:], []byte("** ")) {
		at += len("**")
	}
	from = at
	for from < len(t) && isBlank(t[from]) {
		line = line || t[from] == '\n' || t[from] == '\r'
		from++
	}
	f.steps += from - at
	return from, line
}

// userinfo looks at a URL from behind its scheme for a name with a password.
func (f *finder) userinfo(from int) int {
	const longest = 256
	colon := false
	for i := from; i < min(len(f.text), from+longest); i++ {
		f.steps++
		switch c := f.text[i]; {
		case c == '@':
			if colon {
				f.add(from, i, kindPassword)
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

package redact

import "bytes"

const (
	// longestValue is more than what anybody takes for a password.
	longestValue = 512
	// longestNest is how much of a list or an object is looked at.
	longestNest = 4 << 10
)

// value is one behind a name, without its quotes.
type value struct {
	from, to int
	quoted   bool
	// tight is one that is quoted or directly behind an equals sign: it is
	// meant as a value.
	tight bool
}

// value is the one that begins at from. A scheme belongs to what follows it.
func (f *finder) value(from int, tight bool) value {
	t := f.text
	if from < len(t) && isQuote(t[from]) {
		if to := f.closing(from); to > 0 {
			return value{from: from + 1, to: to, quoted: true, tight: true}
		}
		from++
	}
	begin := from + standIn(t[from:])
	if tight && begin == from && from+1 < len(t) && t[from] == '<' && t[from+1] != '/' {
		begin++ // no tag of a page
	}
	to := f.valueEnd(begin)
	for _, word := range []string{"bearer", "basic", "token"} {
		if bytes.EqualFold(t[from:to], []byte(word)) && to+1 < len(t) && t[to] == ' ' {
			to = f.valueEnd(to + 1)
		}
	}
	for to > from && t[to-1] == '\\' {
		to-- // of an escaped quote
	}
	return value{from: from, to: to, tight: tight}
}

// closing is where the quote at from is closed, 0 if it is not. A text may have
// been cut within a value.
func (f *finder) closing(from int) int {
	t, to := f.text, from+1
	for ; to < len(t) && to-from < longestValue; to++ {
		f.steps++
		if t[to] == t[from] {
			return to
		}
		if t[to] == '\\' {
			to++
		}
	}
	if to >= len(t) && t[from] == '"' {
		return len(t)
	}
	return 0
}

// nested hides what the list or the object says that begins at from, but for
// names in it. It reports false if there is nothing of the kind.
func (f *finder) nested(from int) bool {
	t := f.text
	if from == len(t) || t[from] != '[' && t[from] != '{' || standIn(t[from:]) > 0 {
		return false
	}
	if from < f.nest.to {
		return f.nest.hid
	}
	known, depth, at := len(f.spans), 0, from
	for at < min(len(t), from+longestNest) {
		f.steps++
		switch c := t[at]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case isQuote(c) && !isAlnum(t[at-1]):
			at = f.quotedItem(at)
			continue
		case isValue(t, at) && c != ':' && c != '=':
			at = f.item(at)
			continue
		}
		at++
		if depth == 0 {
			break
		}
	}
	f.nest.to, f.nest.hid = at, len(f.spans) > known
	return f.nest.hid
}

// quotedItem hides a string of a list or an object, and returns where to go on.
func (f *finder) quotedItem(at int) int {
	to := f.closing(at)
	if to == 0 {
		return at + 1
	}
	next, _ := f.valueBegin(min(to+1, len(f.text)))
	isName := next < len(f.text) && f.text[next] == ':'
	if !isName && !placeholder(f.text[at+1:to]) {
		f.add(at+1, to, kindPassword)
	}
	return to + 1
}

// item hides what stands in a list or an object without quotes, if it is more
// than a word.
func (f *finder) item(at int) int {
	to := f.valueEnd(at)
	if digit := f.values.digit >= at; digit && to-at >= 3 {
		f.add(at, to, kindPassword)
	}
	return to
}

// isAlone tells whether nothing follows a value on its line.
func (f *finder) isAlone(v value) bool {
	return v.to == len(f.text) || f.text[v.to] == '\n' || f.text[v.to] == '\r'
}

// isSecret tells a value from a word of a sentence or of a program.
func (f *finder) isSecret(v value, what meant) bool {
	text := f.text[v.from:v.to]
	if placeholder(text) || !v.quoted && isCall(text) {
		return false
	}
	switch {
	case what == token:
		return len(text) >= tokenLeast && (v.quoted && hasDigit(text) || !v.quoted && f.values.digit >= v.from)
	case what == maybe:
		return v.tight && len(text) >= maybeLeast
	case v.tight:
		return len(text) >= 3
	}
	word := bytes.TrimRight(text, ".!?:")
	for _, c := range word {
		if !isLetter(c) && c < 0x80 {
			return len(word) >= 3
		}
	}
	return len(word) >= 20
}

package redact

import "bytes"

const (
	// maxQuotedLen is longer than any password.
	maxQuotedLen = 512
	// maxNestLen is how many bytes of a list or an object are scanned at most.
	maxNestLen = 4 << 10
)

// value is the value after a name, without its quotes.
type value struct {
	from, to int
	quoted   bool
	// explicit means that the text is clearly a value: it is quoted, or it directly
	// follows an equals sign.
	explicit bool
}

// parseValue returns the value at position from. tight means that the value directly follows an
// equals sign. An authentication scheme such as Bearer is part of the value.
func (f *finder) parseValue(from int, tight bool) value {
	t := f.text
	if from < len(t) && isQuote(t[from]) {
		if to := f.findClosingQuote(from); to > 0 {
			return value{from: from + 1, to: to, quoted: true, explicit: true}
		}
		from++
	}
	begin := from + placeholderLen(t[from:])
	if tight && begin == from && from+1 < len(t) && t[from] == '<' && t[from+1] != '/' {
		begin++ // not an HTML tag
	}
	to := f.findValueEnd(begin)
	for _, word := range []string{"bearer", "basic", "token"} {
		if bytes.EqualFold(t[from:to], []byte(word)) && to+1 < len(t) && t[to] == ' ' {
			to = f.findValueEnd(to + 1)
		}
	}
	for to > from && t[to-1] == '\\' {
		to-- // belongs to an escaped quote
	}
	return value{from: from, to: to, explicit: tight}
}

// findClosingQuote returns the position of the closing quote for the quote at position from,
// or 0 if there is none. For a double quote, the end of the text also counts as the closing
// quote, because the text may be cut.
func (f *finder) findClosingQuote(from int) int {
	t, to := f.text, from+1
	for ; to < len(t) && to-from < maxQuotedLen; to++ {
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

// redactNested redacts the values in the list or object at position from, but not the names. It
// returns false if there is no list or object, or if nothing was redacted.
func (f *finder) redactNested(from int) bool {
	t := f.text
	if from == len(t) || t[from] != '[' && t[from] != '{' || placeholderLen(t[from:]) > 0 {
		return false
	}
	if from < f.lastNest.to {
		return f.lastNest.redacted
	}
	known, depth, at := len(f.spans), 0, from
	for at < min(len(t), from+maxNestLen) {
		f.steps++
		switch c := t[at]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case isQuote(c) && !isAlnum(t[at-1]):
			at = f.redactQuotedItem(at)
			continue
		case isValueByte(t, at) && c != ':' && c != '=':
			at = f.redactBareItem(at)
			continue
		}
		at++
		if depth == 0 {
			break
		}
	}
	f.lastNest.to, f.lastNest.redacted = at, len(f.spans) > known
	return f.lastNest.redacted
}

// redactQuotedItem redacts a string in a list or an object and returns where to
// continue.
func (f *finder) redactQuotedItem(at int) int {
	to := f.findClosingQuote(at)
	if to == 0 {
		return at + 1
	}
	next, _ := f.findValueStart(min(to+1, len(f.text)))
	isName := next < len(f.text) && f.text[next] == ':'
	if !isName && !isPlaceholder(f.text[at+1:to]) {
		f.addSpan(at+1, to, kindPassword)
	}
	return to + 1
}

// redactBareItem redacts an unquoted item of a list or an object if it contains a digit
// and has at least three bytes. It returns where to continue.
func (f *finder) redactBareItem(at int) int {
	to := f.findValueEnd(at)
	if digit := f.values.digit >= at; digit && to-at >= 3 {
		f.addSpan(at, to, kindPassword)
	}
	return to
}

// endsLine reports whether nothing follows the value on its line.
func (f *finder) endsLine(v value) bool {
	return v.to == len(f.text) || f.text[v.to] == '\n' || f.text[v.to] == '\r'
}

// isSecretValue reports whether a value is probably a secret and not an ordinary word of
// a sentence or a program.
func (f *finder) isSecretValue(v value, what nameClass) bool {
	text := f.text[v.from:v.to]
	if isPlaceholder(text) || !v.quoted && isFunctionCall(text) {
		return false
	}
	switch {
	case what == classToken:
		return len(text) >= minTokenLen && (v.quoted && hasDigit(text) || !v.quoted && f.values.digit >= v.from)
	case what == classMaybe:
		return v.explicit && len(text) >= minMaybeLen
	case v.explicit:
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

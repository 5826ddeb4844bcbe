package predict

import "strings"

// WithoutCourtesy returns a text without the polite sentences at its beginning and its end,
// and without "please", "could you" or "tell me" before its first sentence. They say nothing
// about what the request needs. A text that is nothing but polite is returned as it is.
func WithoutCourtesy(text string) string {
	core := strings.TrimSpace(text)
	for range maxPoliteSentences {
		end := sentenceEnd(core)
		if end == 0 || !polite(core[:end-1], openings) {
			break
		}
		core = strings.TrimLeft(core[end:], sentenceEnds+" \r\t")
	}
	core = withoutIndirection(withoutLeadIn(core))
	for range maxPoliteSentences {
		start := lastSentence(core)
		if start == 0 || !polite(core[start:], closings) {
			break
		}
		core = strings.TrimSpace(core[:start])
	}
	if core == "" {
		return text
	}
	return core
}

const (
	maxPoliteSentences = 4
	// maxPoliteBytes limits the length of a polite sentence, and so the time that it takes
	// to find one.
	maxPoliteBytes = 100
	sentenceEnds   = ".?!:,\n"
)

// sentenceEnd returns the index after the first sentence, or 0 if it is too long.
func sentenceEnd(text string) int {
	return strings.IndexAny(text[:min(len(text), maxPoliteBytes)], sentenceEnds) + 1
}

// lastSentence returns the index at which the last sentence begins, or 0 if it is too long.
func lastSentence(text string) int {
	from := max(len(text)-maxPoliteBytes, 0)
	end := strings.TrimRight(text[from:], sentenceEnds+" ")
	return from + strings.LastIndexAny(end, sentenceEnds) + 1
}

// polite reports whether a sentence consists of polite words only, and whether at least one
// of them is a sign of politeness.
func polite(sentence string, signs map[string]bool) bool {
	isPolite := false
	for sentence != "" {
		word, rest := nextWord(sentence)
		var buffer [16]byte
		lower := lowerInto(buffer[:0], word)
		if word != "" && !politeWords[string(lower)] {
			return false
		}
		isPolite, sentence = isPolite || signs[string(lower)], rest
	}
	return isPolite
}

// withoutLeadIn removes words such as "please" and "could you" from the beginning.
func withoutLeadIn(text string) string {
	for range maxPoliteSentences {
		var first, second [16]byte
		word, rest := nextWord(text)
		switch string(lowerInto(first[:0], word)) {
		case "please", "kindly":
			text = strings.TrimLeft(rest, ", ")
			continue
		case "can", "could", "would", "will":
			if next, after := nextWord(rest); string(lowerInto(second[:0], next)) == "you" {
				text = strings.TrimLeft(after, ", ")
				continue
			}
		}
		break
	}
	return text
}

// nextWord returns the first run of letters, and what follows it.
func nextWord(text string) (word, rest string) {
	from := 0
	for from < len(text) && !isLetter(text[from]) {
		if text[from] >= '0' && text[from] <= '9' {
			return text[from : from+1], text[from+1:]
		}
		from++
	}
	to := from
	for to < len(text) && isLetter(text[to]) {
		to++
	}
	return text[from:to], text[to:]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// lowerInto appends a word in lower case. It cuts words that are longer than every polite one.
func lowerInto(buffer []byte, word string) []byte {
	for i := range min(len(word), cap(buffer)) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buffer = append(buffer, c)
	}
	return buffer
}

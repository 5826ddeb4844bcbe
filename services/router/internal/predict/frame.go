package predict

import "strings"

// usualFrame is the phrase that begins most requests for a short program.
const usualFrame = "Write a function to "

// Core returns the part of a text that says what the request needs: without polite
// sentences, and with the usual phrase in place of "Implement a Python method that can" and
// the like.
func Core(text string) string {
	core := WithoutCourtesy(text)
	if end := frameEnd(core); end > 0 {
		return usualFrame + core[end:]
	}
	return core
}

// frameEnd returns the index after the phrase that asks for a program, or 0 if the text does not
// begin with one. Such a phrase has only words of frames: a verb, the name of a piece of code,
// and at its end a word such as "to" or "that".
func frameEnd(text string) (end int) {
	verb, noun, rest := false, false, text
	for range maxFrameWords {
		word, after := nextWord(rest)
		if word == "" || strings.Trim(rest[:len(rest)-len(after)-len(word)], " ,") != "" {
			break
		}
		var buffer [16]byte
		kind := frameWords[string(lowerInto(buffer[:0], word))]
		if kind == 0 {
			break
		}
		verb, noun, rest = verb || kind == frameVerb, noun || kind == frameNoun, after
		if kind == frameLink && verb && noun {
			end = len(text) - len(strings.TrimLeft(rest, " "))
		}
	}
	return end
}

// maxFrameWords limits the length of a frame, and so the time that it takes to find one.
const maxFrameWords = 12

// frameKind is the part that a word has in a frame.
type frameKind uint8

const (
	frameFill frameKind = iota + 1
	frameVerb
	frameNoun
	frameLink
)

var frameWords = frameKinds()

func frameKinds() map[string]frameKind {
	kinds := map[string]frameKind{}
	for kind, words := range map[frameKind]string{
		frameFill: "a an the some me us in i would like you please short small simple python java javascript typescript go rust c order",
		frameVerb: "write implement create code develop build define design make produce provide give construct want need show",
		frameNoun: "function method routine program script procedure snippet subroutine implementation code",
		frameLink: "to that which can will should for",
	} {
		for word := range wordsOf(words) {
			kinds[word] = max(kinds[word], kind)
		}
	}
	return kinds
}

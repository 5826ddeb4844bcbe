package signals

import "strings"

// maxRefusal is the length of the longest text that can be a refusal, in bytes. A longer
// text answers something after its polite beginning.
const maxRefusal = 400

// refusals are beginnings of refusals, in lower case and with plain apostrophes.
var refusals = []string{
	"i'm sorry, but i can't", "i'm sorry, but i cannot", "i'm sorry, i can't", "i'm sorry, i cannot", "i am sorry, but i can",
	"sorry, but i can't", "sorry, i can't", "i can't help with", "i cannot help with", "i can't assist", "i cannot assist",
	"i'm unable to help", "i'm unable to assist", "i am unable to", "i'm not able to help", "i won't be able to help",
	"i can't provide", "i cannot provide", "i can't fulfill", "i cannot fulfill", "as an ai language model, i can",
	"es tut mir leid, aber ich kann", "lo siento, pero no puedo", "je suis désolé, mais je ne peux pas",
}

func isRefusal(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxRefusal {
		return false
	}
	text = strings.ToLower(strings.ReplaceAll(text, "\u2019", "'"))
	for _, begin := range refusals {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

const (
	// A text loops if its end is the same piece at least minRepeats times. Shorter pieces
	// are lines of a table or of a drawing.
	minRepeats = 4
	minPiece   = 24
	maxPiece   = 512
)

// repeatsItself reports whether a text ends in repetitions. It compares at most
// maxPiece*maxPiece bytes.
func repeatsItself(text string) bool {
	for size := minPiece; size <= maxPiece && size*minRepeats <= len(text); size++ {
		if isRepeated(text[len(text)-size*minRepeats:], size) {
			return true
		}
	}
	return false
}

// isRepeated reports whether a text consists of equal pieces that are not a single
// character.
func isRepeated(text string, size int) bool {
	piece := text[:size]
	return text[size:] == text[:len(text)-size] && strings.Trim(piece, piece[:1]) != "" && strings.ContainsAny(piece, " \n")
}

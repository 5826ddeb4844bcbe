package features

import (
	"math/bits"
	"strings"
)

// applyMeaning updates the features for a word of prose.
func (s *scanner) applyMeaning(word string, from int, is meaning) {
	if is&social == 0 {
		s.notGreeting = s.notGreeting || is&filler == 0
	} else {
		s.hasGreeting = true
	}
	if is == 0 {
		return
	}
	if is&english != 0 && equalFold("the", word) {
		s.demandAt = never // "in the table" requests no table
	}
	if s.atSentenceStart && is&(asks|tasks) != 0 && s.isProseWord() {
		s.noteSentenceStart(is)
	}
	if is&forms != 0 {
		s.noteForm(is)
	}
	if is&(units|numeral|step|demand) != 0 {
		s.noteLength(word, is)
	}
	s.countDomainWords(is)
	if is&latexCommand != 0 && from > 0 && s.text[from-1] == '\\' {
		s.vector[latex]++
		s.line.latex = true
	}
}

// readLatexCommand cuts the word at the underscore that ends a LaTeX command. It returns
// the shorter word and its hash.
func (s *scanner) readLatexCommand(word string) (string, uint32) {
	if name, _, ok := strings.Cut(word, "_"); ok && name != "" {
		s.at -= len(word) - len(name)
		word = name
	}
	h := hashStart
	for i := range len(word) {
		h = (h ^ uint32(toLower(word[i]))) * hashPrime
	}
	return word, h
}

// isProseWord reports whether the word that was just read belongs to a sentence. If a sign
// of code follows, the word is a name in code.
func (s *scanner) isProseWord() bool {
	c := s.peekByte(0)
	return c != '(' && c != '=' && c != '[' && (c != '.' || byteClasses[s.peekByte(1)] != letter)
}

// noteSentenceStart notes which question or task begins a sentence. A yes/no question
// counts only if a question mark follows.
func (s *scanner) noteSentenceStart(is meaning) {
	if is&asks != 0 && is&leadWord == 0 {
		first := lowestBit(is & asks)
		s.maybeYesNo = first == yesNo
		s.line.sentenceStarts |= first &^ yesNo
	}
	s.line.sentenceStarts |= lowestBit(is & tasks)
}

// startsClause reports whether the word begins a clause, as in ", and" or ", then".
func (s *scanner) startsClause(word string, is meaning) bool {
	return is&leadWord != 0 && s.commaAt == s.vector[words] && (equalFold("and", word) || equalFold("then", word))
}

func (s *scanner) countDomainWords(is meaning) {
	if is&thank != 0 {
		s.vector[polite]++
	}
	if is&negation != 0 {
		s.vector[negations]++
		s.negatedAt = s.vector[words]
	}
	if is&domains == 0 {
		return
	}
	add := func(of meaning, to feature) {
		if is&of != 0 {
			s.vector[to]++
		}
	}
	add(mathsWord, maths)
	add(reason, reasoning)
	add(program, codeWords)
	add(law, legal)
	add(medicine, medical)
	add(money, finance)
}

func lowestBit(set meaning) meaning { return set & -set }

// bitIndex returns the position of the lowest bit of set, relative to the position of
// first, which is a single bit.
func bitIndex(set, first meaning) int {
	return bits.TrailingZeros64(uint64(set)) - bits.TrailingZeros64(uint64(first))
}

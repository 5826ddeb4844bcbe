package features

import (
	"math/bits"
	"strings"
)

// understand takes what a word of prose tells.
func (s *scan) understand(word string, from int, is meaning) {
	if is&social == 0 {
		s.stray = s.stray || is&filler == 0
	} else {
		s.greets = true
	}
	if is == 0 {
		return
	}
	if is&english != 0 && same("the", word) {
		s.demandAt = never // "in the table" asks for none
	}
	if s.start && is&(asks|tasks) != 0 && s.plain() {
		s.begins(is)
	}
	if is&forms != 0 {
		s.formed(is)
	}
	if is&(units|numeral|step|demand) != 0 {
		s.sized(word, is)
	}
	s.trade(is)
	if is&command != 0 && from > 0 && s.text[from-1] == '\\' {
		s.v[latex]++
		s.line.latex = true
	}
}

// command is the word up to the underscore that ends a command of LaTeX.
func (s *scan) command(word string) (string, uint32) {
	if name, _, ok := strings.Cut(word, "_"); ok && name != "" {
		s.at -= len(word) - len(name)
		word = name
	}
	h := hashStart
	for i := range len(word) {
		h = (h ^ uint32(lower(word[i]))) * hashPrime
	}
	return word, h
}

// plain tells a word of a sentence from a name in code.
func (s *scan) plain() bool {
	c := s.peek(0)
	return c != '(' && c != '=' && c != '[' && (c != '.' || classes[s.peek(1)] != letter)
}

// begins notes how a sentence begins. A yes or no is asked only where a
// question mark follows.
func (s *scan) begins(is meaning) {
	if is&asks != 0 && is&lead == 0 {
		first := lowest(is & asks)
		s.doubt = first == yesNo
		s.line.says |= first &^ yesNo
	}
	s.line.says |= lowest(is & tasks)
}

// follows lets a sentence begin again behind ", and" or ", then".
func (s *scan) follows(word string, is meaning) bool {
	return is&lead != 0 && s.commaAt == s.v[words] && (same("and", word) || same("then", word))
}

func (s *scan) trade(is meaning) {
	if is&thank != 0 {
		s.v[polite]++
	}
	if is&negation != 0 {
		s.v[negations]++
		s.deniedAt = s.v[words]
	}
	if is&trades == 0 {
		return
	}
	add := func(of meaning, to feature) {
		if is&of != 0 {
			s.v[to]++
		}
	}
	add(maths1, maths)
	add(reason, reasoning)
	add(program, codeWords)
	add(law, legal)
	add(medicine, medical)
	add(money, finance)
}

func lowest(set meaning) meaning { return set & -set }

// index is the place of the lowest meaning of a set, counted from first.
func index(set, first meaning) int {
	return bits.TrailingZeros64(uint64(set)) - bits.TrailingZeros64(uint64(first))
}

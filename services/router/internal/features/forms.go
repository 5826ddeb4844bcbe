package features

// maxFormDistance is the maximum distance, in words, from a demand or a negation to the
// form that it refers to. An example is "return it as a JSON object".
const maxFormDistance = 4

// noteForm notes a requested form, unless the form is negated.
func (s *scanner) noteForm(is meaning) {
	if s.vector[words]-s.negatedAt <= maxFormDistance {
		return
	}
	if is&list != 0 && s.atSentenceStart {
		s.vector[wantsList] = 1
	}
	if is&short != 0 {
		s.vector[wantsShort] = 1
	}
	if is&long != 0 {
		s.vector[wantsLong] = 1
	}
	if s.vector[words]-s.demandAt > maxFormDistance {
		return
	}
	switch {
	case is&json != 0:
		s.vector[wantsJSON] = 1
	case is&table != 0:
		s.vector[wantsTable] = 1
	case is&list != 0:
		s.vector[wantsList] = 1
	}
}

// noteLength notes demands, numerals, "step by step", and lengths such as "in 3 short
// paragraphs".
func (s *scanner) noteLength(word string, is meaning) {
	at := s.vector[words]
	if is&demand != 0 {
		s.demandAt = at
	}
	if is&numeral != 0 {
		s.number, s.numberAt = parseNumeral(word), at+1
	}
	if is&step != 0 {
		if at-s.stepAt == 2 || len(word) == len("stepwise") {
			s.vector[wantsSteps] = 1
		}
		s.stepAt = at
	}
	if is&units == 0 || at-s.numberAt > 1 || at < s.numberAt {
		return
	}
	asked := min(s.number*wordsPerUnit[bitIndex(is&units, unitWord)], maxWantedWords)
	s.vector[wantsWords] = max(s.vector[wantsWords], asked)
	s.numberAt = never
}

// maxWantedWords limits the feature wants_words. No model writes more at once.
const maxWantedWords = 100_000

// wordsPerUnit is the approximate number of words in a word, a sentence, a paragraph and
// a page.
var wordsPerUnit = [...]int64{1, 20, 100, 500}

// parseNumeral returns the value of a numeral. It returns 1 for "single".
func parseNumeral(word string) int64 {
	const all = "one two three four five six seven eight nine ten"
	n := int64(1)
	for i := 0; i+len(word) <= len(all); i++ {
		if equalFold(all[i:i+len(word)], word) {
			return n
		}
		if all[i] == ' ' {
			n++
		}
	}
	return 1
}

package features

// near is how many words may stand between a demand and the form: "return it
// as a JSON object".
const near = 4

// formed notes a form, if it is asked for and not forbidden.
func (s *scan) formed(is meaning) {
	if s.v[words]-s.deniedAt <= near {
		return
	}
	if is&list != 0 && s.start {
		s.v[wantsList] = 1
	}
	if is&short != 0 {
		s.v[wantsShort] = 1
	}
	if is&long != 0 {
		s.v[wantsLong] = 1
	}
	if s.v[words]-s.demandAt > near {
		return
	}
	switch {
	case is&json != 0:
		s.v[wantsJSON] = 1
	case is&table != 0:
		s.v[wantsTable] = 1
	case is&list != 0:
		s.v[wantsList] = 1
	}
}

// sized notes a length, such as "in 3 short paragraphs", and "step by step".
func (s *scan) sized(word string, is meaning) {
	at := s.v[words]
	if is&demand != 0 {
		s.demandAt = at
	}
	if is&numeral != 0 {
		s.number, s.numberAt = numberOf(word), at+1
	}
	if is&step != 0 {
		if at-s.stepAt == 2 || len(word) == len("stepwise") {
			s.v[wantsSteps] = 1
		}
		s.stepAt = at
	}
	if is&units == 0 || at-s.numberAt > 1 || at < s.numberAt {
		return
	}
	asked := min(s.number*perUnit[index(is&units, unitWord)], maxWords)
	s.v[wantsWords] = max(s.v[wantsWords], asked)
	s.numberAt = never
}

// maxWords is more than a model writes at once.
const maxWords = 100_000

// perUnit is how many words a word, a sentence, a paragraph and a page have.
var perUnit = [...]int64{1, 20, 100, 500}

// numberOf tells the numerals by what is least of them.
func numberOf(word string) int64 {
	const all = "one two three four five six seven eight nine ten"
	n := int64(1)
	for i := 0; i+len(word) <= len(all); i++ {
		if same(all[i:i+len(word)], word) {
			return n
		}
		if all[i] == ' ' {
			n++
		}
	}
	return 1
}

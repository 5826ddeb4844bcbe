package features

// computeFeatures computes the features that need the counts of the whole text.
func (s *scanner) computeFeatures() {
	v, size := &s.vector, int64(len(s.text))
	v[lexical] = Version
	for is := greek; is < scriptCount; is++ {
		if is.hasNoSpaces() {
			v[words] += s.scriptLetters[is] / 2
		}
	}
	v[length] = lengthClass(size)
	v[code] = min(1000, s.codeBytes*1000/size)
	v[digits] = s.digits * 1000 / size
	v[inlineCode] = s.backticks / 2
	v[codeLanguage] = s.detectCodeLanguage()
	v[trace] = boolToInt(s.tracePoints > 1)
	v[maths] = s.mathsScore()
	v[greeting] = boolToInt(s.hasGreeting && !s.notGreeting && v[words] <= maxGreetingWords)
	if v[wantsWords] > 0 && v[wantsWords] <= wordsPerUnit[1] {
		v[wantsShort] = 1
	}
	v[language], v[languageConfidence], v[nonLatin] = s.detectLanguage()
}

const maxGreetingWords = 12

func lengthClass(size int64) int64 {
	class := int64(1)
	for _, limit := range [...]int64{40, 200, 1000, 4000} {
		if size > limit {
			class++
		}
	}
	return class
}

// mathsScore relates points to the number of words. A LaTeX command has three points, a
// maths word or an operator two, and a number one.
func (s *scanner) mathsScore() int64 {
	v := &s.vector
	points := 3*v[latex] + 2*v[maths] + 2*v[operators] + v[numbers]
	if v[maths]+v[latex]+v[operators] == 0 {
		points = 0 // numbers alone are not maths
	}
	return min(1000, points*1000/(24+v[words]/2))
}

// detectCodeLanguage returns the language with the most votes. A language needs at least
// two votes. In a tie, the language with the lower number wins.
func (s *scanner) detectCodeLanguage() int64 {
	best := 0
	for i := 1; i <= codeLanguages; i++ {
		if n := s.codeVotes[i]; n > 1 && (best == 0 || n > s.codeVotes[best]) {
			best = i
		}
	}
	return int64(best)
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

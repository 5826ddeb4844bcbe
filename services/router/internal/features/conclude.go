package features

// conclude turns what was counted into features.
func (s *scan) conclude() {
	v, size := &s.v, int64(len(s.text))
	v[lexical] = Version
	for is := greek; is < scriptCount; is++ {
		if is.unspaced() {
			v[words] += s.scripts[is] / 2
		}
	}
	v[length] = lengthClass(size)
	v[code] = min(1000, s.codeBytes*1000/size)
	v[digits] = s.digits * 1000 / size
	v[inlineCode] = s.ticks / 2
	v[codeLanguage] = s.codeLanguage()
	v[trace] = flag(s.traces > 1)
	v[maths] = s.mathsScore()
	v[greeting] = flag(s.greets && !s.stray && v[words] <= maxGreeting)
	if v[wantsWords] > 0 && v[wantsWords] <= perUnit[1] {
		v[wantsShort] = 1
	}
	v[language], v[languageConfidence], v[nonLatin] = s.speaks()
}

// maxGreeting is how many words a greeting has at most.
const maxGreeting = 12

func lengthClass(size int64) int64 {
	class := int64(1)
	for _, limit := range [...]int64{40, 200, 1000, 4000} {
		if size > limit {
			class++
		}
	}
	return class
}

// mathsScore weighs what was found against the length of the text: three
// points a command of LaTeX, two a word of the trade or a sign, one a number.
func (s *scan) mathsScore() int64 {
	v := &s.v
	points := 3*v[latex] + 2*v[maths] + 2*v[operators] + v[numbers]
	if v[maths]+v[latex]+v[operators] == 0 {
		points = 0 // numbers alone are no maths
	}
	return min(1000, points*1000/(24+v[words]/2))
}

// codeLanguage needs more than one sign of a language; a name before code that
// is a tie goes to the one listed first.
func (s *scan) codeLanguage() int64 {
	best := 0
	for i := 1; i <= codeLanguages; i++ {
		if n := s.programs[i]; n > 1 && (best == 0 || n > s.programs[best]) {
			best = i
		}
	}
	return int64(best)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

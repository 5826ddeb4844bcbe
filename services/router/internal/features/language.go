package features

// Languages of non-Latin scripts. Their numbers follow those of the Latin languages.
const (
	russian = latinLanguages + 1 + iota
	ukrainianLanguage
	greekLanguage
	arabicLanguage
	hebrewLanguage
	hindi
	chinese
	japanese
	korean
	thaiLanguage
)

// detectLanguage returns the language, its lead over the second language, and the share
// of letters that are not Latin. If that share is above a third, the script determines
// the language, and the share is also the lead. Such texts often contain English names
// and instructions, so their Latin words say little.
func (s *scanner) detectLanguage() (language, confidence, share int64) {
	nonLatin, letters := s.countLetters()
	if letters > 0 {
		share = nonLatin * 1000 / letters
	}
	if is := s.languageOfScript(); share > 333 && is != 0 {
		return is, share, share
	}
	best, second := 0, int64(0)
	for i := 1; i < latinLanguages; i++ {
		if s.languageVotes[i] > s.languageVotes[best] {
			best, second = i, s.languageVotes[best]
		} else {
			second = max(second, s.languageVotes[i])
		}
	}
	if s.languageVotes[best] == 0 || s.languageVotes[best] == second {
		return 0, 0, share
	}
	return int64(best + 1), (s.languageVotes[best] - second) * 1000 / s.languageVotes[best], share
}

// countLetters counts the non-Latin letters and all letters. In a script without spaces
// one letter counts as three Latin letters.
func (s *scanner) countLetters() (nonLatin, all int64) {
	for is := greek; is < scriptCount; is++ {
		n := s.scriptLetters[is]
		if is.hasNoSpaces() {
			n *= 3
		}
		nonLatin += n
	}
	return nonLatin, nonLatin + s.scriptLetters[latin]
}

func (s *scanner) languageOfScript() int64 {
	best := greek
	for is := greek; is < other; is++ {
		if is != ukrainian && s.scriptLetters[is] > s.scriptLetters[best] {
			best = is
		}
	}
	switch {
	case best == cyrillic && s.scriptLetters[ukrainian]*50 > s.scriptLetters[cyrillic]:
		return ukrainianLanguage
	case best == han && s.scriptLetters[kana]*20 > s.scriptLetters[han]:
		return japanese
	}
	return languageOf[best]
}

// languageOf holds the usual language of each script that determines the language.
var languageOf = [scriptCount]int64{
	greek: greekLanguage, cyrillic: russian, hebrew: hebrewLanguage, arabic: arabicLanguage, devanagari: hindi,
	thai: thaiLanguage, hangul: korean, kana: japanese, han: chinese,
}

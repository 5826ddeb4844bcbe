package features

// Languages by script follow those of Latin letters.
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

// speaks returns the language, by how much it leads, and the share of letters
// that are not Latin. From a third on the script decides, as names and
// instructions in English often stand beside.
func (s *scan) speaks() (language, confidence, share int64) {
	alien, letters := s.letters()
	if letters > 0 {
		share = alien * 1000 / letters
	}
	if is := s.byScript(); share > 333 && is != 0 {
		return is, share, share
	}
	best, second := 0, int64(0)
	for i := 1; i < latinLanguages; i++ {
		if s.votes[i] > s.votes[best] {
			best, second = i, s.votes[best]
		} else {
			second = max(second, s.votes[i])
		}
	}
	if s.votes[best] == 0 || s.votes[best] == second {
		return 0, 0, share
	}
	return int64(best + 1), (s.votes[best] - second) * 1000 / s.votes[best], share
}

// letters counts the letters of other scripts, and all. One of a script without
// blanks tells as much as three of Latin.
func (s *scan) letters() (alien, all int64) {
	for is := greek; is < scriptCount; is++ {
		n := s.scripts[is]
		if is.unspaced() {
			n *= 3
		}
		alien += n
	}
	return alien, alien + s.scripts[latin]
}

func (s *scan) byScript() int64 {
	best := greek
	for is := greek; is < other; is++ {
		if is != ukrainian && s.scripts[is] > s.scripts[best] {
			best = is
		}
	}
	switch best {
	case greek:
		return greekLanguage
	case cyrillic:
		if s.scripts[ukrainian]*50 > s.scripts[cyrillic] {
			return ukrainianLanguage
		}
		return russian
	case hebrew:
		return hebrewLanguage
	case arabic:
		return arabicLanguage
	case devanagari:
		return hindi
	case thai:
		return thaiLanguage
	case hangul:
		return korean
	case kana:
		return japanese
	case han:
		if s.scripts[kana]*20 > s.scripts[han] {
			return japanese
		}
		return chinese
	}
	return 0
}

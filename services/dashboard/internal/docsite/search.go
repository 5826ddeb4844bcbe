package docsite

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is a section that contains every word of a query in its text, its title or
// the title of its page.
type Hit struct {
	Page    *Page
	Section Section
	// URL leads to the section.
	URL string
	// Before, Match and After are an excerpt of the section's text around the
	// first word of the query. Match is empty if the text does not contain that
	// word.
	Before, Match, After string
	score                int
}

const (
	maxHits = 40
	// maxQueryBytes bounds the work of a search. Longer queries are truncated.
	maxQueryBytes = 200
	excerptRunes  = 90
)

// Search returns the sections that match every word of the query, best first. A
// word matches in the section's text, its title or the title of its page. Titles
// count more than text, and a whole word counts more than a part of a word. Case is
// ignored.
func (s *Site) Search(query string) []Hit {
	words := splitQuery(query)
	if len(words) == 0 {
		return nil
	}
	var hits []Hit
	for _, p := range s.Pages {
		for _, section := range p.Sections {
			if h, ok := match(p, section, words); ok {
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	return hits[:min(len(hits), maxHits)]
}

func splitQuery(query string) []string {
	if len(query) > maxQueryBytes {
		query = strings.ToValidUTF8(query[:maxQueryBytes], "")
	}
	return strings.Fields(strings.ToLower(query))
}

func match(p *Page, section Section, words []string) (Hit, bool) {
	h := Hit{Page: p, Section: section, URL: p.URL}
	if section.ID != "" {
		h.URL += "#" + section.ID
	}
	title, page, text := strings.ToLower(section.Title), strings.ToLower(p.Title), strings.ToLower(section.Text)
	for _, w := range words {
		score := 10*scoreWord(title, w) + 3*scoreWord(page, w) + scoreWord(text, w)
		if score == 0 {
			return Hit{}, false
		}
		h.score += score
	}
	h.Before, h.Match, h.After = excerpt(section.Text, words[0])
	return h, true
}

// scoreWord returns 3 for a whole word, 2 for the beginning of a word, 1 for
// another part of a word, and 0 if the text does not contain the word.
func scoreWord(text, word string) int {
	best := 0
	for from := 0; best < 3; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return best
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		switch {
		case !isWordRune(before) && !isWordRune(after):
			best = 3
		case !isWordRune(before):
			best = max(best, 2)
		default:
			best = max(best, 1)
		}
		from = end
	}
	return best
}

// isWordRune returns false for utf8.RuneError, which decoding returns at the
// start and at the end of a text.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// excerpt splits the text around the first occurrence of a word. If the text does
// not contain the word, before is the start of the text.
func excerpt(text, word string) (before, found, after string) {
	at, length := indexFold(text, word)
	if at < 0 {
		return trimRunes(text, 2*excerptRunes, false), "", ""
	}
	return trimRunes(text[:at], excerptRunes, true), text[at : at+length], trimRunes(text[at+length:], excerptRunes, false)
}

// indexFold finds a lower-case word in a text of any case. It returns the offset
// and the length of the match. The length may differ from the length of the word,
// because upper and lower case of a letter can have different numbers of bytes.
func indexFold(text, word string) (at, length int) {
	for i := range text {
		rest, n := text[i:], 0
		for _, w := range word {
			r, size := utf8.DecodeRuneInString(rest[n:])
			if size == 0 || unicode.ToLower(r) != w {
				n = -1
				break
			}
			n += size
		}
		if n > 0 {
			return i, n
		}
	}
	return -1, 0
}

// trimRunes keeps at most limit characters of a text and marks the cut. It cuts
// off the start if cutStart is true, otherwise the end.
func trimRunes(text string, limit int, cutStart bool) string {
	runes := []rune(text)
	switch {
	case len(runes) <= limit:
		return text
	case cutStart:
		return "… " + string(runes[len(runes)-limit:])
	}
	return string(runes[:limit]) + " …"
}

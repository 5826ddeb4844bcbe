package redact

// minPhoneDigits is the minimum number of digits of a phone number.
const minPhoneDigits = 7

// findInternationalPhone adds a phone number after a plus and reports whether there was
// one. The plus is at i or i+1. The number has 8 to 15 digits, or exactly 11 with the
// country codes 1 and 7.
func (f *finder) findInternationalPhone(i int, groups []digitGroup) bool {
	least, most := 8, 15
	switch f.text[groups[0].from] {
	case '0':
		return false
	case '1', '7':
		least, most = 11, 11
	}
	n := matchDigitCount(groups, least, most)
	if n == 0 || i > 0 && isAlnum(f.text[i-1]) {
		return false
	}
	f.addSpan(i, groups[n-1].to, kindPhone)
	return true
}

// findPhones adds phone numbers in national notation and reports whether there were any.
// Counts, times and identifiers have similar digits. So a number must have the format of
// a country, or a word for phone must precede it.
func (f *finder) findPhones(groups []digitGroup) (found bool) {
	if total := groups[len(groups)-1].to - groups[0].from; total < minPhoneDigits || isIPAddress(groups) {
		return false
	}
	for a := 0; a < len(groups); a++ {
		if sep := groups[a].sep; sep != none && sep != space || isDate(groups[a:]) {
			continue
		}
		n := f.matchNationalPhone(groups[a:])
		if n == 0 {
			continue
		}
		begin := groups[a].from
		if begin > 0 && f.text[begin-1] == '(' {
			begin--
		}
		f.addSpan(begin, groups[a+n-1].to, kindPhone)
		found, a = true, a+n-1
	}
	return found
}

// matchNationalPhone returns how many groups at the start form a number in national
// notation, or an international number with 00 instead of the plus.
func (f *finder) matchNationalPhone(groups []digitGroup) int {
	first := f.text[groups[0].from:groups[0].to]
	if n := matchDigitCount(groups, minPhoneDigits, 15); n > 0 && !isUnixTime(first) && f.hasPhoneWordBefore(groups[0].from) {
		return n
	}
	switch {
	case len(first) > 2 && first[0] == '0' && first[1] == '0' && first[2] != '0':
		return matchDigitCount(groups, 11, 17)
	case len(first) > 1 && first[0] == '0' && first[1] != '0':
		if n := matchDigitCount(groups, 9, 12); n > 1 {
			return n
		}
	}
	return f.matchNorthAmericanPhone(groups)
}

// matchNorthAmericanPhone matches three groups of 3, 3 and 4 digits. At least one
// separator must not be a space, because three numbers separated by spaces are too common.
func (f *finder) matchNorthAmericanPhone(groups []digitGroup) int {
	n := 3
	if groups[0].len() == 1 && f.text[groups[0].from] == '1' {
		n = 4
	}
	if len(groups) < n {
		return 0
	}
	g := groups[n-3 : n]
	shaped := g[0].len() == 3 && g[1].len() == 3 && g[2].len() == 4 && f.text[g[0].from] > '1' && f.text[g[1].from] > '1'
	marked := false
	for _, g := range groups[1:n] {
		if g.sep == slash {
			return 0
		}
		marked = marked || g.sep != space
	}
	if !shaped || !marked {
		return 0
	}
	return n
}

// matchDigitCount returns the largest number of groups at the start whose digits together
// are not more than most. It returns 0 if these groups have fewer than least digits.
func matchDigitCount(groups []digitGroup, least, most int) int {
	total, best := 0, 0
	for i, g := range groups {
		if total += g.len(); total > most {
			break
		}
		if total >= least {
			best = i + 1
		}
	}
	return best
}

// isDate reports whether the groups begin with a date. The year comes first or last.
func isDate(g []digitGroup) bool {
	if len(g) < 3 || g[1].sep != g[2].sep || g[1].sep == space || g[1].sep == paren {
		return false
	}
	return g[0].len() <= 2 && g[1].len() <= 2 && g[2].len() == 4 || g[0].len() == 4 && g[1].len() <= 2 && g[2].len() <= 2
}

// isIPAddress reports whether groups are an IPv4 address.
func isIPAddress(g []digitGroup) bool {
	if len(g) != 4 {
		return false
	}
	for i := range g {
		if g[i].len() > 3 || i > 0 && g[i].sep != dot {
			return false
		}
	}
	return true
}

// isUnixTime reports whether digits look like a current Unix time in seconds or
// milliseconds.
func isUnixTime(number []byte) bool {
	return number[0] == '1' && (len(number) == 10 || len(number) == 13)
}

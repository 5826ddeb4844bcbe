package redact

// phoneLeast is how many digits the shortest numbers have that are looked for.
const phoneLeast = 7

// abroad notes a number behind a plus, which is at i or next to it: eight to
// fifteen digits, eleven in the two countries whose code has one. It reports
// whether there was one.
func (f *finder) abroad(i int, groups []group) bool {
	least, most := 8, 15
	switch f.text[groups[0].from] {
	case '0':
		return false
	case '1', '7':
		least, most = 11, 11
	}
	n := upTo(groups, least, most)
	if n == 0 || i > 0 && isAlnum(f.text[i-1]) {
		return false
	}
	f.add(i, groups[n-1].to, kindPhone)
	return true
}

// phones notes numbers as they are written within a country, and reports
// whether there were any. Counts, times and identifiers have the same digits,
// so that it takes the form of a country, or words that say so.
func (f *finder) phones(groups []group) (found bool) {
	if total := groups[len(groups)-1].to - groups[0].from; total < phoneLeast || isAddress(groups) {
		return false
	}
	for a := 0; a < len(groups); a++ {
		if sep := groups[a].sep; sep != none && sep != space || isDate(groups[a:]) {
			continue
		}
		n := f.national(groups[a:])
		if n == 0 {
			continue
		}
		begin := groups[a].from
		if begin > 0 && f.text[begin-1] == '(' {
			begin--
		}
		f.add(begin, groups[a+n-1].to, kindPhone)
		found, a = true, a+n-1
	}
	return found
}

// national is how many groups, from the first on, make a number as it is
// written within a country, or with two zeros for the plus.
func (f *finder) national(groups []group) int {
	first := f.text[groups[0].from:groups[0].to]
	if n := upTo(groups, phoneLeast, 15); n > 0 && !isTime(first) && f.speaksOfPhone(groups[0].from) {
		return n
	}
	switch {
	case len(first) > 2 && first[0] == '0' && first[1] == '0' && first[2] != '0':
		return upTo(groups, 11, 17)
	case len(first) > 1 && first[0] == '0' && first[1] != '0':
		if n := upTo(groups, 9, 12); n > 1 {
			return n
		}
	}
	return f.american(groups)
}

// american is for the form 3-3-4 of North America. With nothing but spaces
// between them it could be any numbers.
func (f *finder) american(groups []group) int {
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

// upTo is how many groups together have at most so many digits, if that is at
// least as many as it must be.
func upTo(groups []group, least, most int) int {
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

// isDate tells whether groups begin with a day, in any order of its parts.
func isDate(g []group) bool {
	if len(g) < 3 || g[1].sep != g[2].sep || g[1].sep == space || g[1].sep == paren {
		return false
	}
	return g[0].len() <= 2 && g[1].len() <= 2 && g[2].len() == 4 || g[0].len() == 4 && g[1].len() <= 2 && g[2].len() <= 2
}

// isAddress tells whether groups are an address of the network.
func isAddress(g []group) bool {
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

// isTime tells whether digits are a time of this age, in seconds or finer.
func isTime(number []byte) bool {
	return number[0] == '1' && (len(number) == 10 || len(number) == 13)
}

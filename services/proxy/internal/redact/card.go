package redact

const (
	cardLeast = 13
	cardMost  = 19
)

// cards notes the first card number among groups of digits, be there an expiry
// or a check number behind it, and reports whether there was one.
func (f *finder) cards(groups []group) bool {
	found := false
	for a := 0; a < len(groups); a++ {
		if b := f.card(groups[a:]); b > 0 {
			f.add(groups[a].from, groups[a+b-1].to, kindCard)
			found, a = true, a+b-1
		}
	}
	return found
}

// card is how many of the groups, from the first on, make a card's number; the
// most that do. 0 is none.
func (f *finder) card(groups []group) int {
	if groups[0].sep == dot {
		return 0 // the fraction of a number
	}
	var buf [cardMost]byte
	number, most := buf[:0], 0
	for n, g := range groups {
		if n > 0 && g.sep != space && g.sep != dash || len(number)+g.len() > cardMost {
			break
		}
		number = append(number, f.text[g.from:g.to]...)
		if isShaped(groups[:n+1]) && isCard(number) {
			most = n + 1
		}
	}
	return most
}

// isShaped tells whether digits are grouped as they are on cards: by four, or
// four, six and the rest. Numbers that merely follow each other rarely are.
func isShaped(groups []group) bool {
	last := len(groups) - 1
	for i, g := range groups[:last] {
		if g.len() != 4 && (g.len() != 6 || i != 1 || last != 2) {
			return false
		}
	}
	return last == 0 || groups[last].len() <= 4 || last == 2 && groups[1].len() == 6 && groups[2].len() == 5
}

// isCard tells whether digits are such as issuers give, with their check digit.
// Times, in whatever unit, begin with a 1 and are none.
func isCard(number []byte) bool {
	if len(number) < cardLeast || len(number) > cardMost {
		return false
	}
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		if !isDigit(number[i]) {
			return false
		}
		n := int(number[i] - '0')
		if double {
			n = n*2 - n/5*9
		}
		sum, double = sum+n, !double
	}
	return sum%10 == 0 && isIssued(string(number))
}

func isIssued(number string) bool {
	switch number[0] {
	case '3', '4', '5', '6':
		return true
	case '2':
		return len(number) == 16 && (number >= "2221" && number < "2721" || number >= "2200" && number < "2205")
	case '8':
		return number[1] == '1' || number[1] == '2'
	case '9':
		return number[:4] == "9792"
	}
	return false
}

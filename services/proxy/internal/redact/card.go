package redact

const (
	minCardDigits = 13
	maxCardDigits = 19
)

// findCards adds the card numbers among groups of digits and reports whether there were
// any. Other digits, such as an expiry date, may follow a card number.
func (f *finder) findCards(groups []digitGroup) bool {
	found := false
	for a := 0; a < len(groups); a++ {
		if b := f.matchCard(groups[a:]); b > 0 {
			f.addSpan(groups[a].from, groups[a+b-1].to, kindCard)
			found, a = true, a+b-1
		}
	}
	return found
}

// matchCard returns how many groups at the start form the longest card number. It returns
// 0 if there is no card number.
func (f *finder) matchCard(groups []digitGroup) int {
	if groups[0].sep == dot {
		return 0 // a fraction
	}
	var buf [maxCardDigits]byte
	number, most := buf[:0], 0
	for n, g := range groups {
		if n > 0 && g.sep != space && g.sep != dash || len(number)+g.len() > maxCardDigits {
			break
		}
		number = append(number, f.text[g.from:g.to]...)
		if isCardGrouping(groups[:n+1]) && isCardNumber(number) {
			most = n + 1
		}
	}
	return most
}

// isCardGrouping reports whether the digits are grouped as on cards: in groups of four, or
// four, six and the rest. Unrelated numbers are rarely grouped like this.
func isCardGrouping(groups []digitGroup) bool {
	last := len(groups) - 1
	for i, g := range groups[:last] {
		if g.len() != 4 && (g.len() != 6 || i != 1 || last != 2) {
			return false
		}
	}
	return last == 0 || groups[last].len() <= 4 || last == 2 && groups[1].len() == 6 && groups[2].len() == 5
}

// isCardNumber checks length, check digit and issuer prefix. Current Unix times never match,
// because they begin with 1.
func isCardNumber(number []byte) bool {
	if len(number) < minCardDigits || len(number) > maxCardDigits {
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
	return sum%10 == 0 && hasIssuerPrefix(string(number))
}

func hasIssuerPrefix(number string) bool {
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

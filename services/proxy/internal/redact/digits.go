package redact

// digitGroup is a group of digits and the separator before it.
type digitGroup struct {
	from, to int
	sep      separator
}

func (g digitGroup) len() int { return g.to - g.from }

const (
	// maxGroups is more than the number of groups in any card or phone number.
	maxGroups = 16
	// settledGroups is how many of maxGroups groups need no second look. A number that
	// begins in one of them ends before the last group.
	settledGroups = maxGroups - 7
)

// scanDigits examines the groups of digits at i and returns where to continue. A plus or
// an opening bracket may precede the digits.
func (f *finder) scanDigits(i int) int {
	if f.isUUID(i) {
		return i + uuidLen
	}
	from := i
	for from < len(f.text) && (f.text[from] == '+' || f.text[from] == '(') && from-i < 2 {
		from++
	}
	if from == len(f.text) || !isDigit(f.text[from]) {
		return i + 1
	}
	var buf [maxGroups]digitGroup
	next := digitGroup{from: from}
	for plus := from > i && f.text[from-1] == '+'; ; plus = false {
		groups, end := f.collectGroups(buf[:0], next)
		known := len(f.spans)
		switch {
		case len(groups) == 0:
		case plus:
			_ = f.findInternationalPhone(i, groups) || f.findCards(groups)
		default:
			_ = f.findCards(groups) || f.findPhones(groups)
		}
		if len(groups) < maxGroups {
			return end
		}
		n := f.countSettled(groups, known)
		if n == len(groups) {
			return end
		}
		next = groups[n]
	}
}

// countSettled returns how many groups need not be examined again together with later
// groups. If the last span includes the last group, the number may continue. Then
// countSettled removes that span, unless it begins at the first group.
func (f *finder) countSettled(groups []digitGroup, known int) int {
	if len(f.spans) == known {
		return settledGroups
	}
	last := f.spans[len(f.spans)-1]
	begin, after := 0, 0
	for _, g := range groups {
		if g.to <= last.from {
			begin++
		}
		if g.to <= last.to {
			after++
		}
	}
	if after < len(groups) || begin == 0 {
		return max(after, settledGroups)
	}
	f.spans = f.spans[:len(f.spans)-1]
	return begin
}

// collectGroups collects up to maxGroups groups, starting with next, and returns where it
// stopped. It does not collect a group that is followed by letters.
func (f *finder) collectGroups(found []digitGroup, next digitGroup) (groups []digitGroup, end int) {
	from, sep := next.from, next.sep
	for len(found) < maxGroups {
		to := from
		for to < len(f.text) && isDigit(f.text[to]) {
			to++
		}
		f.steps += to - from
		if to < len(f.text) && (isLetter(f.text[to]) || f.text[to] == '_') {
			for to < len(f.text) && (isAlnum(f.text[to]) || f.text[to] == '_') {
				to++
			}
			return found, to
		}
		found = append(found, digitGroup{from: from, to: to, sep: sep})
		var size int
		if sep, size = parseSeparator(f.text[to:]); size == 0 {
			return found, to
		}
		from = to + size
	}
	return found, from
}

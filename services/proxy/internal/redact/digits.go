package redact

// group is a group of digits and what stands between it and the one before.
type group struct {
	from, to int
	sep      separator
}

func (g group) len() int { return g.to - g.from }

const (
	// mostGroups is more than any number of a card or phone has.
	mostGroups = 16
	// lookedThrough is how many of so many groups have enough behind them to
	// be done with.
	lookedThrough = mostGroups - 7
)

// digits looks at groups of digits that begin here, perhaps with a plus or a
// bracket, and returns where to go on.
func (f *finder) digits(i int) int {
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
	var buf [mostGroups]group
	next := group{from: from}
	for plus := from > i && f.text[from-1] == '+'; ; plus = false {
		groups, end := f.groups(buf[:0], next)
		known := len(f.spans)
		switch {
		case len(groups) == 0:
		case plus:
			_ = f.abroad(i, groups) || f.cards(groups)
		default:
			_ = f.cards(groups) || f.phones(groups)
		}
		if len(groups) < mostGroups {
			return end
		}
		n := f.settled(groups, known)
		if n == len(groups) {
			return end
		}
		next = groups[n]
	}
}

// settled is how many of the groups need no other look together with those
// that follow them. Of a find that goes up to the last of them more may follow,
// and it is taken back.
func (f *finder) settled(groups []group, known int) int {
	if len(f.spans) == known {
		return lookedThrough
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
		return max(after, lookedThrough)
	}
	f.spans = f.spans[:len(f.spans)-1]
	return begin
}

// groups collects those that begin with the next one. A last one that letters
// follow is none, but passed over.
func (f *finder) groups(found []group, next group) (groups []group, end int) {
	from, sep := next.from, next.sep
	for len(found) < mostGroups {
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
		found = append(found, group{from: from, to: to, sep: sep})
		var size int
		if sep, size = separated(f.text[to:]); size == 0 {
			return found, to
		}
		from = to + size
	}
	return found, from
}

package store

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// sampleSize is how many requests findRareTerms reads. A term that fewer of them match than
// frequentMatches is rare.
const sampleSize, frequentMatches = 200, 10

// findRareTerms sets f.indexedTerms: the terms for which a search uses the index of labels. Postgres
// keeps no statistics for this index, because it is partial. It assumes that every word is rare, and
// would look up a tag of all requests instead of a rare user. If the newest requests show that some
// terms are rare, the search therefore looks up only these. The terms only choose the index; every
// match still meets all conditions.
func (f *finder) findRareTerms(ctx context.Context) error {
	if f.indexedTerms != nil {
		return nil
	}
	positive := slices.DeleteFunc(slices.Clone(f.query.Terms), func(t record.Term) bool { return t.Not })
	if len(positive) > 1 && slices.ContainsFunc(positive, func(t record.Term) bool { return isLabel(t.Field) }) {
		matches, err := f.countInSample(ctx, positive)
		if err != nil {
			return err
		}
		for i, t := range positive {
			if matches[i] < frequentMatches {
				f.indexedTerms = append(f.indexedTerms, t)
			}
		}
	}
	if f.indexedTerms == nil {
		f.indexedTerms = f.query.Terms
	}
	return nil
}

// countInSample counts how many of the newest requests of the account match each term.
func (f *finder) countInSample(ctx context.Context, terms []record.Term) ([]int, error) {
	newest := finder{store: f.store, query: record.Query{Account: f.query.Account}}
	in := f.searchedRange()
	if f.from < f.to { // it has records at its end, and a day has few partitions
		from := max(f.from, f.to-dayMicros)
		in.from = &from
	}
	w := newest.buildWhere(in).addDays(in)
	sample := w.text.String()
	w.text.Reset()
	for i, t := range terms {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.text.WriteString("COUNT(CASE WHEN TRUE")
		w.writeTerm(t)
		w.text.WriteString(" THEN 1 END)")
	}
	statement := `SELECT ` + w.text.String() + ` FROM (SELECT * FROM requests WHERE ` + sample +
		` ORDER BY time_us DESC, id DESC` + limitRows(sampleSize) + `) AS newest`
	matches, into := make([]int, len(terms)), make([]any, len(terms))
	for i := range matches {
		into[i] = &matches[i]
	}
	return matches, f.store.db.Replica().QueryRowContext(ctx, statement, w.args...).Scan(into...)
}

// searchedRange returns the time range that remains to be searched, or the range of the query if the
// finder does not search window by window.
func (f *finder) searchedRange() timeRange {
	if f.from >= f.to {
		return queryRange(f.query)
	}
	from, to := f.from, f.to
	return timeRange{&from, &to}
}

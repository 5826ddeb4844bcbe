package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// sortTarget is how long a sorted page may take.
const sortTarget = 400 * time.Millisecond

// sortedReadings reads pages in every order: of the whole month, of a day, and with filters
// that match some and few requests.
func (l ledger) sortedReadings(s *store.Store) (all []reading) {
	for _, by := range record.SortFields() {
		for _, order := range []string{"desc", "asc"} {
			for _, text := range []string{"", "model:model-3", "key:team-4 stream:true", "code:PROVIDER_CODE_3", "tag:team-17", "model:rare-model", "overloaded"} {
				all = append(all, l.sorted(s, string(by), order, text, 30))
			}
			all = append(all, l.sorted(s, string(by), order, "", 1))
		}
	}
	return all
}

func (l ledger) sorted(s *store.Store, by, order, text string, days int) reading {
	var cursor *record.Cursor
	name := fmt.Sprintf("%d days by %s %s %s", days, by, order, text)
	return reading{name: name, most: sortTarget, read: func(ctx context.Context, _ int) (int, error) {
		q, err := l.query(text)
		if err != nil {
			return 0, err
		}
		q.From = q.To.AddDate(0, 0, -days)
		if q.Sort, err = record.ParseSort(by, order); err != nil {
			return 0, err
		}
		page, err := s.Page(ctx, q, cursor, 100)
		cursor = page.Next // the next read continues
		return len(page.Items), err
	}}
}

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
// that match some and few requests. It also counts the values of fields.
func (l ledger) sortedReadings(s *store.Store) (all []reading) {
	for _, by := range record.SortFields() {
		for _, order := range []string{"desc", "asc"} {
			for _, text := range []string{"", "model:model-3", "key:team-4 stream:true", "code:PROVIDER_CODE_3", "tag:team-17", "model:rare-model", "overloaded"} {
				all = append(all, l.sorted(s, string(by), order, text, 30))
			}
			all = append(all, l.sorted(s, string(by), order, "", 1))
		}
	}
	for _, field := range []record.Field{record.ByModel, record.ByKey, record.ByRequestedModel, record.ByCode, record.ByAgent, record.ByUser, record.BySession, record.ByTag, record.ByMetadataName, "meta.team"} {
		for _, c := range [][2]string{{"", ""}, {"rare", ""}, {"", "model:model-3"}, {"", "tag:team-17"}, {"", "model:rare-model"}} {
			all = append(all, l.facets(s, field, c[0], c[1]))
		}
	}
	return all
}

func (l ledger) facets(s *store.Store, field record.Field, text, filter string) reading {
	name := fmt.Sprintf("values of %s %s %s", field, text, filter)
	return reading{name: name, most: sortTarget, read: func(ctx context.Context, _ int) (int, error) {
		q, err := l.query(filter)
		if err != nil {
			return 0, err
		}
		found, err := s.Facets(ctx, record.NewFacetQuery(q, field, text, 20))
		return len(found.Values), err
	}}
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

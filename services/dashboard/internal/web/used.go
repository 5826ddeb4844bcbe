package web

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// shownRefusals is how many are shown of each.
	shownRefusals = 5
	// refusalDays is how far back they are looked for.
	refusalDays = 30
)

// Spendings is who can tell what an account has spent, on the UTC day of a time
// and in its month.
type Spendings interface {
	Spending(ctx context.Context, account string, at time.Time) (record.Spending, error)
}

// used is what the ledger knows of an account at a time.
type used struct {
	at       time.Time
	spending record.Spending
	// newest are the refusals of the account, refused those by key.
	newest  []refusalJSON
	refused map[string][]refusalJSON
}

// used reads what an account has spent and what was refused. Of one key the
// newest refusals are found however many the others had; of all keys, those that
// are among the newest of the account.
func (s *server) used(ctx context.Context, account, key string) (*used, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	u := &used{at: time.Now(), refused: map[string][]refusalJSON{}}
	var err error
	if u.spending, err = s.Spendings.Spending(ctx, account, u.at); err != nil {
		return nil, err
	}
	if u.newest, err = s.refusals(ctx, account, "", maxLimit); err != nil {
		return nil, err
	}
	if key != "" {
		u.refused[key], err = s.refusals(ctx, account, key, shownRefusals)
		return u, err
	}
	for _, one := range u.newest {
		u.refused[one.KeyID] = append(u.refused[one.KeyID], one)
	}
	return u, nil
}

// refusals are the newest of an account, or of one of its keys.
func (s *server) refusals(ctx context.Context, account, key string, most int) ([]refusalJSON, error) {
	codes := record.Term{Field: record.ByCode}
	for _, code := range record.LimitCodes() {
		codes.Tests = append(codes.Tests, record.Test{Op: record.Equal, Text: string(code)})
	}
	q := record.Query{Account: account, From: time.Now().AddDate(0, 0, -refusalDays), Terms: []record.Term{codes}}
	if key != "" {
		q.Terms = append(q.Terms, record.Term{Field: record.ByKey, Tests: []record.Test{{Op: record.Equal, Text: key}}})
	}
	page, err := s.Ledger.Page(ctx, q, nil, most)
	return each(page.Items, toRefusalJSON), err
}

func toRefusalJSON(r record.Record) refusalJSON {
	name, scope := r.Limit()
	return refusalJSON{
		Time: timeText(r.Time), Code: r.Code, Name: orNull(name), Scope: orNull(scope), Error: r.Error,
		KeyID: r.KeyID, RequestID: r.ID.String(),
	}
}

func (u *used) all() usedJSON { return u.json(u.spending.Total, u.newest) }

func (u *used) of(key string) usedJSON { return u.json(u.spending.Keys[key], u.refused[key]) }

func (u *used) json(spent record.Spent, refusals []refusalJSON) usedJSON {
	_, tomorrow := record.Today(u.at)
	_, month := record.Month(u.at)
	return usedJSON{
		Spent:    spentJSON{amountJSON{spent.Day, timeText(tomorrow)}, amountJSON{spent.Month, timeText(month)}},
		Refusals: list(refusals[:min(len(refusals), shownRefusals)]),
	}
}

package accounts

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxShownRefusals is the maximum number of refusals that are shown per
	// account or key. A refusal is a request that a limit rejected.
	maxShownRefusals = 5
	// refusalDays is how many days back refusals are searched.
	refusalDays = 30
)

// SpendReader returns the spend of an account: on the UTC day of a time and in its month,
// and by key and day.
type SpendReader interface {
	AccountSpend(ctx context.Context, account string, at time.Time) (record.AccountSpend, error)
	DailySpend(ctx context.Context, account string, first, last int64) ([]record.Spend, error)
}

// accountUsage is the usage of an account at one time.
type accountUsage struct {
	at       time.Time
	spending record.AccountSpend
	// refusals holds the newest refusals of the account.
	refusals []refusalJSON
	// keyRefusals holds the newest refusals of each key, by key id.
	keyRefusals map[string][]refusalJSON
}

// readUsage reads the spend and the refusals of an account. If key is not empty, it
// also searches the refusals of that key. Otherwise it takes the refusals of each
// key from the account's newest refusals.
func (s *API) readUsage(ctx context.Context, account, key string) (*accountUsage, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	u := &accountUsage{at: time.Now(), keyRefusals: map[string][]refusalJSON{}}
	var err error
	if u.spending, err = s.Spend.AccountSpend(ctx, account, u.at); err != nil {
		return nil, err
	}
	if u.refusals, err = s.readRefusals(ctx, account, "", httpapi.MaxLimit); err != nil {
		return nil, err
	}
	if key != "" {
		u.keyRefusals[key], err = s.readRefusals(ctx, account, key, maxShownRefusals)
		return u, err
	}
	for _, one := range u.refusals {
		u.keyRefusals[one.KeyID] = append(u.keyRefusals[one.KeyID], one)
	}
	return u, nil
}

// readRefusals returns the newest refusals of an account, or of one of its keys.
func (s *API) readRefusals(ctx context.Context, account, key string, limit int) ([]refusalJSON, error) {
	codes := record.Term{Field: record.ByCode}
	for _, code := range record.LimitCodes() {
		codes.Tests = append(codes.Tests, record.Test{Op: record.Equal, Text: string(code)})
	}
	q := record.Query{Account: account, From: time.Now().AddDate(0, 0, -refusalDays), Terms: []record.Term{codes}}
	if key != "" {
		q.Terms = append(q.Terms, record.Term{Field: record.ByKey, Tests: []record.Test{{Op: record.Equal, Text: key}}})
	}
	page, err := s.Ledger.Page(ctx, q, nil, limit)
	return jsonvalue.ConvertAll(page.Items, toRefusalJSON), err
}

func toRefusalJSON(r record.Record) refusalJSON {
	name, scope := r.RejectingLimit()
	return refusalJSON{
		Time: jsonvalue.FormatTime(r.Time), Code: r.Code, Name: jsonvalue.NullIfZero(name), Scope: jsonvalue.NullIfZero(scope), Error: r.Error,
		KeyID: r.KeyID, RequestID: r.ID.String(),
	}
}

func (u *accountUsage) accountJSON() usedJSON { return u.toJSON(u.spending.Total, u.refusals) }

func (u *accountUsage) keyJSON(key string) usedJSON {
	return u.toJSON(u.spending.Keys[key], u.keyRefusals[key])
}

func (u *accountUsage) toJSON(spent record.PeriodSpend, refusals []refusalJSON) usedJSON {
	_, tomorrow := record.DayBounds(u.at)
	_, month := record.MonthBounds(u.at)
	return usedJSON{
		Spent:    spentJSON{amountJSON{spent.Day, jsonvalue.FormatTime(tomorrow)}, amountJSON{spent.Month, jsonvalue.FormatTime(month)}},
		Refusals: jsonvalue.OrEmpty(refusals[:min(len(refusals), maxShownRefusals)]),
	}
}

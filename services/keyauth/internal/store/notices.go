package store

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

const (
	anyNoticeDue = `SELECT EXISTS (SELECT 1 FROM notices WHERE due_us <= $1)`
	countNotices = `SELECT COUNT(*) FROM notices WHERE account_id = $1`
	insertNotice = `INSERT INTO notices (id, account_id, body, tries, due_us) VALUES ($1, $2, $3, $4, $5)`
	// takeNotices takes the oldest due notice of each account. Accounts with the fewest
	// due notices come first. So an account whose webhook hangs cannot delay the notices
	// of other accounts.
	takeNotices = `UPDATE notices SET tries = tries + 1, due_us = $2 WHERE id IN (
    SELECT MIN(n.id) FROM notices n WHERE n.due_us <= $1 GROUP BY n.account_id ORDER BY COUNT(*), MIN(n.due_us) LIMIT $3)
RETURNING id, account_id, body, tries, due_us`
	delayNotice  = `UPDATE notices SET due_us = $4 WHERE account_id = $1 AND id = $2 AND tries = $3`
	returnNotice = `UPDATE notices SET due_us = $4, tries = tries - 1 WHERE account_id = $1 AND id = $2 AND tries = $3`
	dropNotice   = `DELETE FROM notices WHERE account_id = $1 AND id = $2 AND tries = $3`
)

func (r rows) NoticeDue(ctx context.Context, at time.Time) (bool, error) {
	var due bool
	err := queryRow(ctx, r.q, acrossNotice, anyNoticeDue, []any{microTime(at)}, &due)
	return due, err
}

func (t *tx) CountNotices(ctx context.Context, accountID string) (int, error) {
	var n int
	err := queryRow(ctx, t.q, inAccount(accountID), countNotices, []any{accountID}, &n)
	return n, err
}

func (t *tx) QueueNotice(ctx context.Context, n notice.Notice) error {
	return t.execute(ctx, inAccount(n.AccountID), "queue notice", insertNotice, n.ID, n.AccountID, n.Body, n.Tries, microTime(n.DueAt))
}

func (t *tx) TakeNotices(ctx context.Context, at, until time.Time, limit int) ([]notice.Notice, error) {
	return queryAll(ctx, t.q, acrossNotice, takeNotices, []any{microTime(at), microTime(until), limit}, func(n *notice.Notice) []any {
		return []any{&n.ID, &n.AccountID, &n.Body, &n.Tries, (*microTime)(&n.DueAt)}
	})
}

func (t *tx) DelayNotice(ctx context.Context, n notice.Notice, until time.Time) error {
	return requireChange(t.w.exec(ctx, inAccount(n.AccountID), delayNotice, n.AccountID, n.ID, n.Tries, microTime(until)))
}

func (t *tx) ReturnNotice(ctx context.Context, n notice.Notice, due time.Time) error {
	return requireChange(t.w.exec(ctx, inAccount(n.AccountID), returnNotice, n.AccountID, n.ID, n.Tries, microTime(due)))
}

func (t *tx) DropNotice(ctx context.Context, n notice.Notice) error {
	return requireChange(t.w.exec(ctx, inAccount(n.AccountID), dropNotice, n.AccountID, n.ID, n.Tries))
}

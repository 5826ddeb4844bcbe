package spend

import (
	"context"
	"time"
)

// maxSpendPage bounds how many entries Since returns.
const maxSpendPage = 1000

// Cursor is the position of a watcher in the changes of spend. The zero value
// starts at the beginning.
type Cursor struct {
	version int64
	day     Period
}

// Reader reads the spend of keys and accounts with a budget.
type Reader interface {
	// SpendHead returns the latest version of any spend sum.
	SpendHead(ctx context.Context) (int64, error)
	// BudgetSpend lists the keys and accounts that have a budget and whose sum in the
	// month of day changed after the given version. It sorts them by version.
	BudgetSpend(ctx context.Context, after int64, day Period, limit int) ([]BudgetSpend, error)
	// GroupSpend lists the sums of group budgets in the given periods that changed after the
	// given version. It sorts them by version.
	GroupSpend(ctx context.Context, after int64, periods []Period, limit int) ([]GroupSpend, error)
}

// Since lists the keys and accounts that have a budget and whose spend
// changed after the cursor. It returns one page and the cursor for the next page. An
// empty list means that no entries are left.
//
// On a new UTC day, it starts over with all entries. Otherwise it could miss some at
// the end of a month: another instance with a faster clock may already have saved
// entries for the next month.
func Since(ctx context.Context, r Reader, at time.Time, since Cursor) ([]BudgetSpend, Cursor, error) {
	if today := DayOf(at); since.day != today {
		since = Cursor{day: today}
	}
	head, err := r.SpendHead(ctx)
	if err != nil || head <= since.version {
		return nil, since, err
	}
	list, err := r.BudgetSpend(ctx, since.version, since.day, maxSpendPage)
	if err != nil {
		return nil, since, err
	}
	// The remaining changes are spend without a budget. The next call skips them.
	if len(list) < maxSpendPage {
		since.version = head
	}
	if n := len(list); n > 0 {
		since.version = max(since.version, list[n-1].Version)
	}
	return list, since, nil
}

// GroupCursor is the position of a watcher in the changes of the spend of group budgets. The
// zero value starts at the beginning.
type GroupCursor struct {
	version int64
	hour    Period
}

// GroupSince lists the spend of group budgets in the current periods that changed after the
// cursor. It returns one page and the cursor for the next page. An empty list means that no
// entries are left. In a new hour it starts over with all entries, as Since does on a new day.
func GroupSince(ctx context.Context, r Reader, at time.Time, since GroupCursor) ([]GroupSpend, GroupCursor, error) {
	if hour := HourOf(at); since.hour != hour {
		since = GroupCursor{hour: hour}
	}
	head, err := r.SpendHead(ctx)
	if err != nil || head <= since.version {
		return nil, since, err
	}
	list, err := r.GroupSpend(ctx, since.version, CurrentPeriods(at), maxSpendPage)
	if err != nil {
		return nil, since, err
	}
	if since.version = head; len(list) == maxSpendPage {
		since.version = list[maxSpendPage-1].Version
	}
	return list, since, nil
}

// Package spend adds up what keys and accounts have spent, and finds the budgets
// that they reach. A Report says what a key has spent in one UTC day. Apply raises
// the sums of the day and the month, of the key and its account, and calls Notify
// once for each threshold of a budget. Reports may be repeated or arrive late: the
// highest value counts. The account package stores the sums and sends the notices.
package spend

import (
	"strings"
	"time"
)

const (
	// retention is the minimum time for which sums are stored. Only whole months are deleted.
	retention = 62 * 24 * time.Hour
	// lateSpendWindow is how long after its end a period can still cause notices.
	lateSpendWindow = time.Hour
)

// The names of the budgets, as in the API and in audit events.
const (
	PerHour  = "nano_usd_per_hour"
	PerDay   = "nano_usd_per_day"
	PerWeek  = "nano_usd_per_week"
	PerMonth = "nano_usd_per_month"
	Total    = "nano_usd_total"
)

// Budget is how much may be spent in each period, in UTC; 0 means no limit. Keys and
// accounts have amounts for the day and the month only.
type Budget struct {
	NanoUSDPerHour, NanoUSDPerDay, NanoUSDPerWeek, NanoUSDPerMonth, NanoUSDTotal int64
}

// Report is what a key has spent in one UTC day, or a group budget in one hour, according
// to the ledger.
type Report struct {
	AccountID string
	KeyID     string
	// Budget identifies a group budget as in Owner.Budget. Then KeyID is empty.
	Budget  string
	Day     string
	Hour    int
	NanoUSD int64
}

// groupPrefix begins the KeyID of a sum that belongs to a group budget.
const groupPrefix = "budget/"

// Owner identifies the key of a sum, or the whole account if KeyID is empty. GroupOwner
// returns the owner of the sums of a group budget.
type Owner struct{ AccountID, KeyID string }

// GroupOwner returns the owner of the sums of a group budget: its id, and its member after a
// slash if the budget is for each value.
func GroupOwner(accountID, budget string) Owner { return Owner{accountID, groupPrefix + budget} }

// Budget returns the id and the member of a group budget; ok is false for other owners.
func (o Owner) Budget() (id, member string, ok bool) {
	text, ok := strings.CutPrefix(o.KeyID, groupPrefix)
	id, member, _ = strings.Cut(text, "/")
	return id, member, ok
}

// SumKey identifies the sum of an owner. If KeyID is empty, it identifies the sum of the whole account.
type SumKey struct {
	AccountID string
	KeyID     string
	Period    Period
}

// Owner returns the owner of the sum.
func (n SumKey) Owner() Owner { return Owner{n.AccountID, n.KeyID} }

// Sum is the amount spent in a period.
type Sum struct {
	SumKey
	NanoUSD int64
	// NotifiedPercent is the percentage in the last notice, and NotifiedLimit is the
	// limit at that time. Both are 0 if there was no notice.
	NotifiedPercent int64
	NotifiedLimit   int64
}

// BudgetSpend is how much of its budgets a key has spent. If KeyID is empty, it is
// the spend of the account.
type BudgetSpend struct {
	AccountID    string
	KeyID        string
	Day          Period
	DayNanoUSD   int64
	MonthNanoUSD int64
	Version      int64
}

// HasAmount reports whether the budget has an amount for the period of the sum.
func (s GroupSpend) HasAmount(b Budget) bool { return s.Period.budget(b) > 0 }

// GroupSpend is how much of a group budget is spent in a period. Budget is its id, and its
// member after a slash if the budget is for each value.
type GroupSpend struct {
	AccountID string
	Budget    string
	Period    Period
	NanoUSD   int64
	Version   int64
}

// Package spend adds up what keys and accounts have spent, and finds the budgets
// that they reach. A Report says what a key has spent in one UTC day. Apply raises
// the sums of the day and the month, of the key and its account, and calls Notify
// once for each threshold of a budget. Reports may be repeated or arrive late: the
// highest value counts. The account package stores the sums and sends the notices.
package spend

import "time"

const (
	// retention is the minimum time for which sums are stored. Only whole months are deleted.
	retention = 62 * 24 * time.Hour
	// lateSpendWindow is how long after its end a period can still cause notices.
	lateSpendWindow = time.Hour
)

// The names of the budgets, as in the API and in audit events.
const (
	PerDay   = "nano_usd_per_day"
	PerMonth = "nano_usd_per_month"
)

// Budget is how much may be spent in a UTC day and month; 0 means no limit.
type Budget struct {
	NanoUSDPerDay   int64
	NanoUSDPerMonth int64
}

// Report is what a key has spent in one UTC day, according to the ledger.
type Report struct {
	AccountID string
	KeyID     string
	Day       string
	NanoUSD   int64
}

// Owner identifies the key of a sum, or the whole account if KeyID is empty.
type Owner struct{ AccountID, KeyID string }

// SumKey identifies the sum of a key. If KeyID is empty, it identifies the sum of the whole account.
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

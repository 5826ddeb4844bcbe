package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// limitsReport is the output of signalbox limits, in the JSON format of the dashboard's API.
type limitsReport struct {
	Account usage   `json:"account"`
	Keys    []usage `json:"keys"`
}

// usage holds the limits and the usage of an account or a key. Prefix and State are set only for keys.
type usage struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Prefix string        `json:"prefix,omitempty"`
	State  string        `json:"state,omitempty"`
	Limits allLimitsView `json:"limits"`
	ledgerUsage
}

// ledgerUsage holds the spend and the rejected requests from the ledger.
type ledgerUsage struct {
	Spent struct {
		Day   spentAmount `json:"day"`
		Month spentAmount `json:"month"`
	} `json:"spent"`
	Refusals []refusal `json:"refusals"`
}

type spentAmount struct {
	NanoUSD  int64  `json:"nano_usd"`
	ResetsAt string `json:"resets_at"`
}

type refusal struct {
	Time      string  `json:"time"`
	Code      string  `json:"code"`
	Name      *string `json:"name"`
	Scope     *string `json:"scope"`
	Error     string  `json:"error"`
	KeyID     string  `json:"key_id"`
	RequestID string  `json:"request_id"`
}

// withoutSpend returns the usage of a key that has no records, with the same reset times.
func (u ledgerUsage) withoutSpend() ledgerUsage {
	u.Spent.Day.NanoUSD, u.Spent.Month.NanoUSD, u.Refusals = 0, 0, []refusal{}
	return u
}

func toKeyUsage(k *keyauthv1.Key, of ledgerUsage) usage {
	return usage{
		ID: k.GetId(), Name: k.GetSettings().GetName(), Prefix: k.GetPrefix(), State: remote.EnumWord(k.GetState(), "KEY_STATE_"),
		Limits: toLimitsView(k.GetSettings().GetLimits()), ledgerUsage: of,
	}
}

// tableRows leaves out inactive keys that have spent nothing this month.
func (r *limitsReport) tableRows() [][]string {
	rows := append([][]string{{"SCOPE", "LIMIT", "ALLOWED", "SPENT", "USED", "RESETS"}}, r.Account.tableRows("account "+r.Account.Name)...)
	for _, k := range r.Keys {
		if k.State == "active" || k.Spent.Month.NanoUSD > 0 {
			rows = append(rows, k.tableRows("key "+k.Name+" ("+k.Prefix+")")...)
		}
	}
	if len(r.Account.Refusals) == 0 {
		return rows
	}
	rows = append(rows, []string{}, []string{"REJECTED AT", "CODE", "LIMIT", "SCOPE", "KEY", "REQUEST"})
	for _, f := range r.Account.Refusals {
		rows = append(rows, []string{f.Time, f.Code, formatLimitName(f.Name), cli.DashIfNil(f.Scope), r.keyName(f.KeyID), f.RequestID})
	}
	return rows
}

// limitNames maps the limit names of the API to the names in tables.
var limitNames = map[string]string{
	"requests_per_minute": "requests per minute", "tokens_per_minute": "tokens per minute", "concurrent_requests": "concurrent requests",
	"nano_usd_per_day": "daily budget", "nano_usd_per_month": "monthly budget",
}

func formatLimitName(name *string) string {
	if name == nil {
		return "-"
	}
	return cmp.Or(limitNames[*name], *name)
}

func (r *limitsReport) keyName(id string) string {
	at := slices.IndexFunc(r.Keys, func(k usage) bool { return k.ID == id })
	if at < 0 {
		return id
	}
	return r.Keys[at].Name
}

// tableRows lists the rate limits that are set, and always both budgets. It shows no
// usage of rate limits, because only the proxies count this usage.
func (u *usage) tableRows(name string) [][]string {
	var rows [][]string
	l := u.Limits
	for _, rate := range []struct {
		name  string
		limit int64
	}{
		{"requests per minute", l.RequestsPerMinute}, {"tokens per minute", l.TokensPerMinute}, {"concurrent requests", l.ConcurrentRequests},
	} {
		if rate.limit > 0 {
			rows = append(rows, []string{name, rate.name, cli.FormatCount(rate.limit), "-", "-", "-"})
		}
	}
	for _, money := range []struct {
		name  string
		limit int64
		spent spentAmount
	}{
		{"daily budget", l.NanoUSDPerDay, u.Spent.Day}, {"monthly budget", l.NanoUSDPerMonth, u.Spent.Month},
	} {
		rows = append(rows, []string{name, money.name, formatBudget(money.limit), cli.FormatUSD(money.spent.NanoUSD), usageBar(money.spent.NanoUSD, money.limit), money.spent.ResetsAt})
	}
	return rows
}

func formatBudget(limit int64) string {
	if limit == 0 {
		return "none"
	}
	return cli.FormatUSD(limit)
}

const barWidth = 20

// usageBar draws how much of a limit is used. Rounding never makes the bar full, or 100 %,
// before the whole limit is used.
func usageBar(spent, limit int64) string {
	if limit <= 0 {
		return "-"
	}
	part := float64(max(spent, 0)) / float64(limit)
	percent, full := int64(part*100), int(part*barWidth)
	if spent < limit {
		percent, full = min(percent, 99), min(full, barWidth-1)
	}
	full = min(full, barWidth)
	return fmt.Sprintf("[%s%s] %d%%", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), percent)
}

func limitRows(l *keyauthv1.Limits) [][]string {
	limit := func(n int64) string {
		if n == 0 {
			return "none"
		}
		return cli.FormatCount(n)
	}
	return [][]string{
		{"Requests per minute", limit(l.GetRequestsPerMinute())}, {"Tokens per minute", limit(l.GetTokensPerMinute())},
		{"Concurrent requests", limit(l.GetConcurrentRequests())},
		{"Daily budget", formatBudget(l.GetNanoUsdPerDay())}, {"Monthly budget", formatBudget(l.GetNanoUsdPerMonth())},
	}
}

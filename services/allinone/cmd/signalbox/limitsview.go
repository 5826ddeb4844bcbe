package main

import (
	"fmt"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// limitsReport has the names of the dashboard's API.
type limitsReport struct {
	Account usage   `json:"account"`
	Keys    []usage `json:"keys"`
}

// usage is of an account or a key; prefix and state are a key's.
type usage struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Prefix string        `json:"prefix,omitempty"`
	State  string        `json:"state,omitempty"`
	Limits allLimitsView `json:"limits"`
	used
}

// used is what the ledger knows of it.
type used struct {
	Spent struct {
		Day   amount `json:"day"`
		Month amount `json:"month"`
	} `json:"spent"`
	Refusals []refusal `json:"refusals"`
}

type amount struct {
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

// none is that of a key of which the ledger has nothing, with the same resets.
func (u used) none() used {
	u.Spent.Day.NanoUSD, u.Spent.Month.NanoUSD, u.Refusals = 0, 0, []refusal{}
	return u
}

func viewUsage(k *keyauthv1.Key, of used) usage {
	return usage{
		ID: k.GetId(), Name: k.GetSettings().GetName(), Prefix: k.GetPrefix(), State: word(k.GetState(), "KEY_STATE_"),
		Limits: viewLimits(k.GetSettings().GetLimits()), used: of,
	}
}

// rows leave out keys that have ended and spent nothing.
func (r *limitsReport) rows() [][]string {
	rows := append([][]string{{"WHOSE", "LIMIT", "ALLOWED", "SPENT", "USED", "RESETS"}}, r.Account.rows("account "+r.Account.Name)...)
	for _, k := range r.Keys {
		if k.State == "active" || k.Spent.Month.NanoUSD > 0 {
			rows = append(rows, k.rows("key "+k.Name+" ("+k.Prefix+")")...)
		}
	}
	if len(r.Account.Refusals) == 0 {
		return rows
	}
	rows = append(rows, []string{}, []string{"REFUSED", "CODE", "LIMIT", "OF THE", "KEY", "REQUEST"})
	for _, f := range r.Account.Refusals {
		rows = append(rows, []string{f.Time, f.Code, dash(f.Name), dash(f.Scope), r.keyName(f.KeyID), f.RequestID})
	}
	return rows
}

func (r *limitsReport) keyName(id string) string {
	at := slices.IndexFunc(r.Keys, func(k usage) bool { return k.ID == id })
	if at < 0 {
		return id
	}
	return r.Keys[at].Name
}

// rows have the limits that there are, and money also where there is no limit
// to it. How much of a rate is used, the proxies know.
func (u *usage) rows(name string) [][]string {
	var rows [][]string
	l := u.Limits
	for _, rate := range []struct {
		name  string
		limit int64
	}{
		{"requests per minute", l.RequestsPerMinute}, {"tokens per minute", l.TokensPerMinute}, {"concurrent requests", l.ConcurrentRequests},
	} {
		if rate.limit > 0 {
			rows = append(rows, []string{name, rate.name, count(rate.limit), "-", "-", "-"})
		}
	}
	for _, money := range []struct {
		name  string
		limit int64
		spent amount
	}{
		{"budget of the day", l.NanoUSDPerDay, u.Spent.Day}, {"budget of the month", l.NanoUSDPerMonth, u.Spent.Month},
	} {
		rows = append(rows, []string{name, money.name, budget(money.limit), usd(money.spent.NanoUSD), bar(money.spent.NanoUSD, money.limit), money.spent.ResetsAt})
	}
	return rows
}

func budget(limit int64) string {
	if limit == 0 {
		return "none"
	}
	return usd(limit)
}

// barWidth is how many characters a full bar has.
const barWidth = 20

// bar is how much of a limit is used, if there is one. It is full, and says
// 100 %, only when all of it is.
func bar(spent, limit int64) string {
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

// limitRows are all limits, after a change.
func limitRows(l *keyauthv1.Limits) [][]string {
	limit := func(n int64) string {
		if n == 0 {
			return "none"
		}
		return count(n)
	}
	return [][]string{
		{"Requests per minute", limit(l.GetRequestsPerMinute())}, {"Tokens per minute", limit(l.GetTokensPerMinute())},
		{"Concurrent requests", limit(l.GetConcurrentRequests())},
		{"Budget of a day", budget(l.GetNanoUsdPerDay())}, {"Budget of a month", budget(l.GetNanoUsdPerMonth())},
	}
}

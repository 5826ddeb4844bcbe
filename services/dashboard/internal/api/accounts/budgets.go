package accounts

import (
	"net/http"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// groupBudgetJSON is a budget for a group of requests.
type groupBudgetJSON struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	Value   string      `json:"value"`
	Amounts amountsJSON `json:"amounts"`
	// Spent has an entry for each member and each window with an amount. The highest sums
	// come first.
	Spent []groupSpentJSON `json:"spent"`
}

// amountsJSON holds the amounts of a budget in nano-USD; 0 means no limit.
type amountsJSON struct {
	PerHour  int64 `json:"nano_usd_per_hour"`
	PerDay   int64 `json:"nano_usd_per_day"`
	PerWeek  int64 `json:"nano_usd_per_week"`
	PerMonth int64 `json:"nano_usd_per_month"`
	Total    int64 `json:"nano_usd_total"`
}

// groupSpentJSON is what a member of a budget has spent in the current period of a window.
// Member is null for a budget without members, and for requests that name none.
type groupSpentJSON struct {
	Member       *string `json:"member"`
	Window       string  `json:"window"`
	Period       string  `json:"period"`
	NanoUSD      int64   `json:"nano_usd"`
	LimitNanoUSD int64   `json:"limit_nano_usd"`
}

func toGroupBudgetJSON(b *keyauthv1.Budget) groupBudgetJSON {
	a := b.GetAmounts()
	return groupBudgetJSON{
		ID: b.GetId(), Name: b.GetName(), Kind: b.GetKind(), Value: b.GetValue(), Spent: []groupSpentJSON{},
		Amounts: amountsJSON{a.GetNanoUsdPerHour(), a.GetNanoUsdPerDay(), a.GetNanoUsdPerWeek(), a.GetNanoUsdPerMonth(), a.GetNanoUsdTotal()},
	}
}

// limitOf returns the window of a period and its amount. Each kind of period has a length of
// its own.
func (a *amountsJSON) limitOf(period string) (window string, limit int64) {
	switch len(period) {
	case len("2006-01-02T15"):
		return "hour", a.PerHour
	case len("2006-01-02"):
		return "day", a.PerDay
	case len("2006-W01"):
		return "week", a.PerWeek
	case len("2006-01"):
		return "month", a.PerMonth
	}
	return "total", a.Total
}

// addSpent adds a sum if the budget has an amount for its period.
func (b *groupBudgetJSON) addSpent(member string, s *keyauthv1.Spent) {
	window, limit := b.Amounts.limitOf(s.GetPeriod())
	if limit == 0 {
		return
	}
	one := groupSpentJSON{Window: window, Period: s.GetPeriod(), NanoUSD: s.GetNanoUsd(), LimitNanoUSD: limit}
	if member != "" {
		one.Member = &member
	}
	b.Spent = append(b.Spent, one)
}

func (s *API) apiListBudgets(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.ListBudgets(r.Context(), &keyauthv1.ListBudgetsRequest{Actor: v.Actor()})
	items, byID := make([]groupBudgetJSON, len(resp.GetBudgets())), map[string]*groupBudgetJSON{}
	for i, b := range resp.GetBudgets() {
		items[i] = toGroupBudgetJSON(b)
		byID[b.GetId()] = &items[i]
	}
	for _, one := range resp.GetSpent() {
		id, member, _ := strings.Cut(one.GetBudget(), "/")
		if b := byID[id]; b != nil {
			b.addSpent(member, one)
		}
	}
	return httpapi.WriteItems(w, items, httpapi.ToAccountsError(err))
}

// apiSetBudget creates a budget, or replaces the one with the same name.
func (s *API) apiSetBudget(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b struct {
		Name    string      `json:"name"`
		Kind    string      `json:"kind"`
		Value   string      `json:"value"`
		Amounts amountsJSON `json:"amounts"`
	}
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	a := b.Amounts
	resp, err := s.Accounts.SetBudget(r.Context(), &keyauthv1.SetBudgetRequest{Actor: v.Actor(), Budget: &keyauthv1.Budget{
		Name: b.Name, Kind: b.Kind, Value: b.Value, Amounts: &keyauthv1.BudgetAmounts{
			NanoUsdPerHour: a.PerHour, NanoUsdPerDay: a.PerDay, NanoUsdPerWeek: a.PerWeek, NanoUsdPerMonth: a.PerMonth, NanoUsdTotal: a.Total,
		},
	}})
	return httpapi.WriteResult(w, http.StatusOK, toGroupBudgetJSON(resp.GetBudget()), httpapi.ToAccountsError(err))
}

func (s *API) apiRemoveBudget(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "budget")
	if err != nil {
		return err
	}
	_, err = s.Accounts.RemoveBudget(r.Context(), &keyauthv1.RemoveBudgetRequest{Actor: v.Actor(), Name: id})
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}

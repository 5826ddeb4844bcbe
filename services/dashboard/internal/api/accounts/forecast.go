package accounts

import (
	"net/http"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// forecastJSON is the spend of the current UTC month so far, its forecast, and the budget.
// Unknown values are null. Without a complete day of spend there is no forecast.
type forecastJSON struct {
	Spent  int64  `json:"spent_nano_usd"`
	PerDay *int64 `json:"per_day_nano_usd"`
	// Days is the number of complete days that PerDay is the average of.
	Days     int64  `json:"days"`
	Forecast *int64 `json:"forecast_nano_usd"`
	Budget   *int64 `json:"budget_nano_usd"`
	// ReachedAt is when the spend reaches the budget; null if it does not in this month.
	ReachedAt *string `json:"reached_at"`
}

type keyForecastJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	forecastJSON
}

type monthForecastJSON struct {
	From    string            `json:"from"`
	To      string            `json:"to"`
	Account forecastJSON      `json:"account"`
	Keys    []keyForecastJSON `json:"keys"`
}

func (s *API) apiForecastSpend(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	if _, err := httpapi.ParseParams(r); err != nil {
		return err
	}
	account, err := s.Accounts.GetAccount(r.Context(), &keyauthv1.GetAccountRequest{Actor: v.Actor()})
	if err = httpapi.ToAccountsError(err); err != nil {
		return err
	}
	keys, err := s.listKeys(r.Context(), v)
	if err != nil {
		return err
	}
	now := time.Now()
	days, err := s.Spend.DailySpend(r.Context(), v.Account.GetId(), record.ForecastSince(now), record.DayOfTime(now))
	if err != nil {
		return err
	}
	first, next := record.MonthBounds(now)
	all, byKey := record.GroupDailySpend(days)
	out := monthForecastJSON{
		From: jsonvalue.FormatTime(first), To: jsonvalue.FormatTime(next), Keys: []keyForecastJSON{},
		Account: toForecastJSON(all, account.GetAccount().GetLimits(), now),
	}
	for _, k := range keys {
		limits := k.GetSettings().GetLimits()
		if f := toForecastJSON(byKey[k.GetId()], limits, now); f.Spent > 0 || f.Budget != nil {
			out.Keys = append(out.Keys, keyForecastJSON{k.GetId(), k.GetSettings().GetName(), f})
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, out)
}

func toForecastJSON(days map[int64]int64, limits *keyauthv1.Limits, now time.Time) forecastJSON {
	f := record.ForecastMonth(days, now)
	j := forecastJSON{Spent: f.Spent, Days: f.Days, Budget: jsonvalue.NullIfZero(limits.GetNanoUsdPerMonth())}
	if f.Days > 0 {
		j.PerDay, j.Forecast = &f.PerDay, &f.Total
	}
	if j.Budget == nil {
		return j
	}
	if at, ok := f.ReachedAt(*j.Budget, now); ok {
		j.ReachedAt = jsonvalue.NullIfZero(jsonvalue.FormatTime(at))
	}
	return j
}

package policies

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Ledger reads records, and sums of records.
type Ledger interface {
	readlimit.Pages
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	// InstallationImpact sums up the requests of all accounts. The query's account asks for it.
	InstallationImpact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
}

// maxRuleScopes limits the reports that a list of rules needs. Only routes whose rules share
// labels with other routes need more than one.
const maxRuleScopes = 8

// apiListRules returns the rules of the active policy, with the requests of all accounts that
// each of them decided. Only operators can call it.
func (s *API) apiListRules(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to")
	if err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(url.Values{"from": {p.Get("from")}, "to": {p.Get("to")}}, v.Account.GetId())
	if err != nil {
		return err
	}
	if q.From.IsZero() {
		q.From = time.Now().AddDate(0, 0, -defaultReplayDays)
	}
	ctx, cancel := context.WithTimeout(r.Context(), policyTimeout)
	defer cancel()
	active, err := s.Policies.Get(ctx, &routerv1.GetRequest{})
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	rules, err := policy.ListRules([]byte(active.GetVersion().GetDocument()))
	if err != nil {
		return err
	}
	items, err := s.sumRules(ctx, q, rules)
	return httpapi.WriteResult(w, http.StatusOK, rulesJSON{From: jsonvalue.FormatTime(q.From), Version: active.GetVersion().GetVersion(), Items: items}, err)
}

// sumRules adds the sums of the requests that each rule decided. All sums of one scope come
// from one report. If a report takes too long, it and those after it are left out: the rules do
// not depend on the ledger.
func (s *API) sumRules(ctx context.Context, q record.Query, rules []policy.WrittenRule) ([]ruleJSON, error) {
	scopes := findScopes(rules)
	reports, tooSlow := map[string]ruleReport{}, false
	items := make([]ruleJSON, len(rules))
	for i := range rules {
		scope := scopes[rules[i].Route]
		items[i] = toRuleJSON(&rules[i])
		items[i].Filter = ruleFilter(rules[i].Label, scope)
		report, ok := reports[scope]
		if !ok && !tooSlow && len(reports) < maxRuleScopes {
			var err error
			report, err = s.readScope(ctx, q, scope)
			if tooSlow = apperr.Is(err, apperr.StoreUnavailable); err != nil && !tooSlow {
				return nil, err
			}
			if ok = err == nil; ok {
				reports[scope] = report
			}
		}
		if ok {
			items[i].Figures = report.figures(rules[i].Label)
		}
	}
	return items, nil
}

// ruleReport has the sums of all accounts by rule, and those of the account that asks.
type ruleReport struct{ all, own record.Impact }

func (s *API) readScope(ctx context.Context, q record.Query, scope string) (report ruleReport, err error) {
	if q.Terms, err = record.ParseFilter("rule:* " + scope); err != nil {
		return report, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	if report.all, err = s.Ledger.InstallationImpact(ctx, q, record.GroupRule); err != nil {
		return report, err
	}
	report.own, err = s.Ledger.Impact(ctx, q, record.GroupRule)
	return report, err
}

// figures returns the sums of a rule; nil if they are unknown.
func (r ruleReport) figures(label string) *ruleFiguresJSON {
	all, known := findSums(r.all, label)
	own, ownKnown := findSums(r.own, label)
	if !known || !ownKnown {
		return nil
	}
	return &ruleFiguresJSON{
		Requests: all.Requests, Routed: all.Routed, Baseline: all.Baseline, Saved: all.Saved, Unpriced: all.Unpriced, OfAccount: own.Requests,
	}
}

// findSums returns the sums of a rule. They are unknown if the report has merged rules into a
// group, and the rule is not among the others.
func findSums(report record.Impact, label string) (sums record.Sums, known bool) {
	known = true
	for _, g := range report.Groups {
		if g.Value == label && !g.Other {
			return g.Sums, true
		}
		known = known && !g.Other
	}
	return record.Sums{}, known
}

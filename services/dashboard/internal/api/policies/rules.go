package policies

import (
	"context"
	"net/http"
	"net/url"
	"time"

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
}

// maxRuleScopes limits the reports that a list of rules needs. Only routes whose rules share
// labels with other routes need more than one.
const maxRuleScopes = 8

// apiListRules returns the rules of the active policy, with the account's requests that each
// of them decided.
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
// from one report.
func (s *API) sumRules(ctx context.Context, q record.Query, rules []policy.WrittenRule) ([]ruleJSON, error) {
	scopes := findScopes(rules)
	reports := map[string]record.Impact{}
	items := make([]ruleJSON, len(rules))
	for i := range rules {
		scope := scopes[rules[i].Route]
		items[i] = toRuleJSON(&rules[i])
		items[i].Filter = ruleFilter(rules[i].Label, scope)
		report, ok := reports[scope]
		if !ok && len(reports) < maxRuleScopes {
			var err error
			if report, err = s.readScope(ctx, q, scope); err != nil {
				return nil, err
			}
			reports[scope], ok = report, true
		}
		if ok {
			items[i].Figures = findFigures(report, rules[i].Label)
		}
	}
	return items, nil
}

func (s *API) readScope(ctx context.Context, q record.Query, scope string) (record.Impact, error) {
	var err error
	if q.Terms, err = record.ParseFilter("rule:* " + scope); err != nil {
		return record.Impact{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	return s.Ledger.Impact(ctx, q, record.GroupRule)
}

// findFigures returns the sums of a rule. They are unknown if the report has merged rules
// into a group, and the rule is not among the others.
func findFigures(report record.Impact, label string) *ruleFiguresJSON {
	merged := false
	for _, g := range report.Groups {
		if g.Value == label && !g.Other {
			return &ruleFiguresJSON{Requests: g.Requests, Routed: g.Routed, Baseline: g.Baseline, Saved: g.Saved, Unpriced: g.Unpriced}
		}
		merged = merged || g.Other
	}
	if merged {
		return nil
	}
	return &ruleFiguresJSON{}
}

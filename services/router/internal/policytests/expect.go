package policytests

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// outcome is the actual result of a test, in the fields of an expectation.
type outcome struct {
	policy.Expectation
	// text describes the whole outcome for people.
	text string
}

// describeMismatch returns how a decision or an error differs from the expectation. It
// returns an empty string if there is no difference.
func describeMismatch(want *policy.Expectation, d *decide.Decision, err error) string {
	got := servedOutcome(d)
	if err != nil {
		got = rejectedOutcome(err)
	}
	var wrong []string
	compare := func(what, want, got string) {
		if want != "" && want != got {
			wrong = append(wrong, what+" "+want)
		}
	}
	if _, effort := policy.SplitEffort(want.Model); effort == "" { // any effort will do
		got.Model, _ = policy.SplitEffort(got.Model)
	}
	compare("model", want.Model, got.Model)
	compare("provider", want.Provider, got.Provider)
	compare("route", want.Route, got.Route)
	compare("reason", want.Reason, got.Reason)
	compare("rule", want.Rule, got.Rule)
	compare("code", want.Code, got.Code)
	if len(wrong) == 0 {
		return ""
	}
	return "want " + strings.Join(wrong, ", ") + "; got " + got.text
}

func servedOutcome(d *decide.Decision) (o outcome) {
	if d == nil {
		return o
	}
	first := d.Plan[0]
	o.Expectation = policy.Expectation{
		Model: first.Name(), Provider: first.Provider, Route: string(d.RouteOf(first, false)), Reason: d.Reason.Code, Rule: d.Reason.Rule,
	}
	o.text = fmt.Sprintf("model %s, provider %s, route %s, reason %s, rule %s: %s",
		o.Model, o.Provider, o.Route, o.Reason, o.Rule, d.Reason.Text)
	return o
}

func rejectedOutcome(err error) (o outcome) {
	e := apperr.From(err)
	o.Code = string(e.Code)
	o.Rule, _ = e.Details["rule"].(string)
	o.text = fmt.Sprintf("code %s: %s", o.Code, e.Message)
	return o
}

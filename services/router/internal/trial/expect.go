package trial

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// outcome is what became of a request, in the words of an expectation.
type outcome struct {
	policy.Expect
	// said is all of it, for a person.
	said string
}

// check returns in what a decision, or the refusal, is not as expected.
func check(want *policy.Expect, d *decide.Decision, err error) string {
	got := served(d)
	if err != nil {
		got = refused(err)
	}
	var wrong []string
	compare := func(what, want, got string) {
		if want != "" && want != got {
			wrong = append(wrong, what+" "+want)
		}
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
	return "want " + strings.Join(wrong, ", ") + "; got " + got.said
}

func served(d *decide.Decision) (o outcome) {
	if d == nil {
		return o
	}
	first := d.Plan[0]
	o.Expect = policy.Expect{
		Model: first.Model, Provider: first.Provider, Route: routeOf(d), Reason: d.Reason.Code, Rule: d.Reason.Rule,
	}
	o.said = fmt.Sprintf("model %s, provider %s, route %s, reason %s, rule %s: %s",
		o.Model, o.Provider, o.Route, o.Reason, o.Rule, d.Reason.Text)
	return o
}

func refused(err error) (o outcome) {
	e := apperr.From(err)
	o.Code = string(e.Code)
	o.Rule, _ = e.Details["rule"].(string)
	o.said = fmt.Sprintf("code %s: %s", o.Code, e.Message)
	return o
}

// routeOf is how the first of the plan would have served the request.
func routeOf(d *decide.Decision) string {
	switch {
	case d.Plan[0] != d.HealthyFirst:
		return "fallback"
	case d.PolicyControlled:
		return "policy"
	}
	return "expected"
}

package litellm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// setDefaults writes the baseline, retries and breaker, and notes the budget.
func (c *converter) setDefaults() {
	r, l := c.config.Router, c.config.Settings
	d := draft.Defaults{Baseline: c.baseline()}
	if n := cmp.Or(r.Retries, l.Retries); n != nil {
		d.Retries = &draft.Retries{Max: *n}
	}
	if fails, open := cmp.Or(r.AllowedFails, l.AllowedFails), cmp.Or(duration(r.Cooldown), duration(l.Cooldown)); fails > 0 || open != "" {
		d.Breaker = &draft.Breaker{MinRequests: fails, Open: open}
	}
	if d != (draft.Defaults{}) {
		c.Defaults = &d
	}
	c.noteBudget(cmp.Or(r.MaxBudget, l.MaxBudget), cmp.Or(r.BudgetDuration, l.BudgetDuration))
}

// baseline returns the first chat model: savings compare with what the file lists first.
func (c *converter) baseline() string {
	for _, group := range c.groups {
		if d := c.byGroup[group][0]; !d.isEmbedding() && c.hasPrice(d) {
			c.Note("defaults.baseline is %s, the first model of the file: savings are compared with it", d.model)
			return d.model
		}
	}
	return ""
}

// noteBudget says how to set the budget, which belongs to accounts and keys here.
func (c *converter) noteBudget(usd float64, period string) {
	if usd <= 0 {
		return
	}
	flag := map[string]string{"1d": "--budget-day", "24h": "--budget-day", "30d": "--budget-month", "1mo": "--budget-month"}[period]
	if flag == "" {
		flag = "--budget-month"
		c.Note("budget_duration %q: budgets are per day or per month", period)
	}
	c.Note("max_budget: run signalbox limits set %s %s", flag, strings.TrimSuffix(fmt.Sprintf("%.2f", usd), ".00"))
}

// ignored are members that need no note: the document does the same without them.
var ignored = map[string]bool{
	"drop_params": true, "set_verbose": true, "json_logs": true, "num_workers": true, "enable_pre_call_checks": true,
	"id": true, "description": true, "api_version": true,
}

// advice says what takes the place of a member.
var advice = map[string]string{
	"master_key":                   "create keys with signalbox keys create; the operator signs in to the dashboard",
	"database_url":                 "keys, budgets and spend of LiteLLM's database are not read; create keys with signalbox keys create",
	"callbacks":                    "every request is in the dashboard; traces go to an OpenTelemetry collector",
	"success_callback":             "every request is in the dashboard; traces go to an OpenTelemetry collector",
	"failure_callback":             "every request is in the dashboard; traces go to an OpenTelemetry collector",
	"cache":                        "responses are not cached; prompt caches of the providers are used",
	"cache_params":                 "responses are not cached; prompt caches of the providers are used",
	"content_policy_fallbacks":     "a refusal of the model is a response, so no other model is tried",
	"provider_budget_config":       "budgets belong to accounts and keys: signalbox limits set",
	"tag_budget_config":            "run signalbox budgets set NAME --tag TAG --usd-per-month AMOUNT for each tag",
	"max_end_user_budget":          "run signalbox budgets set users --user '*' --usd-per-month AMOUNT",
	"default_key_generate_params":  "for a budget of each key, run signalbox budgets set keys --key '*' --usd-per-month AMOUNT",
	"default_internal_user_params": "set --default-budget for new accounts",
	"alerting":                     "set a webhook for budgets: signalbox webhook set",
	"environment_variables":        "set the variables for the Signalbox process",
	"redis_host":                   "proxies share state over Redis in a split deployment",
}

// noteParams notes what a deployment sets and the document cannot say.
func (c *converter) noteParams(d deployment) {
	for _, rest := range []map[string]any{d.Params.Rest, d.Info.Rest} {
		for _, name := range names(rest) {
			if !ignored[name] {
				c.Note("model_name %q: %s is not carried over", d.Name, name)
			}
		}
	}
}

// noteRest notes every member of the file that is not carried over.
func (c *converter) noteRest() {
	c.noteMembers("", c.config.Rest)
	c.noteMembers("router_settings.", c.config.Router.Rest)
	c.noteMembers("litellm_settings.", c.config.Settings.Rest)
	c.noteMembers("general_settings.", c.config.General)
}

func (c *converter) noteMembers(section string, rest map[string]any) {
	for _, name := range names(rest) {
		switch text := advice[name]; {
		case text != "":
			c.Note("%s%s is not carried over: %s", section, name, text)
		case !ignored[name]:
			c.Note("%s%s is not carried over", section, name)
		}
	}
}

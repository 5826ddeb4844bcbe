package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// groupBudgetView is a group budget in the JSON format of the dashboard's API.
type groupBudgetView struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Kind    string           `json:"kind"`
	Value   string           `json:"value"`
	Amounts map[string]int64 `json:"amounts"`
	Spent   []groupSpentView `json:"spent"`
}

type groupSpentView struct {
	Member       *string `json:"member"`
	Window       string  `json:"window"`
	Period       string  `json:"period"`
	NanoUSD      int64   `json:"nano_usd"`
	LimitNanoUSD int64   `json:"limit_nano_usd"`
}

// budgetWindow is a window of a group budget. layout is the format of its periods, whose
// lengths differ.
type budgetWindow struct {
	name, field, layout string
	amount              func(*keyauthv1.BudgetAmounts) *int64
}

var budgetWindows = []budgetWindow{
	{"hour", "nano_usd_per_hour", "2006-01-02T15", func(a *keyauthv1.BudgetAmounts) *int64 { return &a.NanoUsdPerHour }},
	{"day", "nano_usd_per_day", "2006-01-02", func(a *keyauthv1.BudgetAmounts) *int64 { return &a.NanoUsdPerDay }},
	{"week", "nano_usd_per_week", "2006-W01", func(a *keyauthv1.BudgetAmounts) *int64 { return &a.NanoUsdPerWeek }},
	{"month", "nano_usd_per_month", "2006-01", func(a *keyauthv1.BudgetAmounts) *int64 { return &a.NanoUsdPerMonth }},
	{"total", "nano_usd_total", "total", func(a *keyauthv1.BudgetAmounts) *int64 { return &a.NanoUsdTotal }},
}

func toGroupBudgetView(b *keyauthv1.Budget, spent []*keyauthv1.Spent) groupBudgetView {
	out := groupBudgetView{ID: b.GetId(), Name: b.GetName(), Kind: b.GetKind(), Value: b.GetValue(), Amounts: map[string]int64{}, Spent: []groupSpentView{}}
	for _, w := range budgetWindows {
		limit := *w.amount(b.GetAmounts())
		out.Amounts[w.field] = limit
		for _, s := range spent {
			id, member, _ := strings.Cut(s.GetBudget(), "/")
			if limit > 0 && id == b.GetId() && len(s.GetPeriod()) == len(w.layout) {
				out.Spent = append(out.Spent, groupSpentView{cli.NullIfEmpty(member), w.name, s.GetPeriod(), s.GetNanoUsd(), limit})
			}
		}
	}
	return out
}

func listBudgets(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		r, err := o.Accounts.ListBudgets(ctx, &keyauthv1.ListBudgetsRequest{Actor: remote.ActorFor(a)})
		if err != nil {
			return err
		}
		all := cli.List[groupBudgetView]{Items: []groupBudgetView{}}
		rows := [][]string{{"NAME", "APPLIES TO", "WINDOW", "ALLOWED", "MEMBER", "SPENT", "USED"}}
		for _, b := range r.GetBudgets() {
			view := toGroupBudgetView(b, r.GetSpent())
			all.Items, rows = append(all.Items, view), append(rows, view.tableRows()...)
		}
		return o.PrintResult(all, rows...)
	})
}

// tableRows has a row for each window and member. A window in which nothing is spent has one
// row.
func (v *groupBudgetView) tableRows() (rows [][]string) {
	for _, w := range budgetWindows {
		limit := v.Amounts[w.field]
		if limit == 0 {
			continue
		}
		first := []string{v.Name, v.Kind + " " + v.Value, w.name, cli.FormatUSD(limit)}
		before := len(rows)
		for _, s := range v.Spent {
			if s.Window == w.name {
				rows = append(rows, append(first[:4:4], cli.DashIfNil(s.Member), cli.FormatUSD(s.NanoUSD), usageBar(s.NanoUSD, limit)))
			}
		}
		if len(rows) == before {
			rows = append(rows, append(first, "-", cli.FormatUSD(0), usageBar(0, limit)))
		}
	}
	return rows
}

func setBudget(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	b := &keyauthv1.Budget{Amounts: &keyauthv1.BudgetAmounts{}}
	o.Flags.Argument(&b.Name, "NAME", "name of the budget; a budget with this name is replaced")
	for _, kind := range []struct{ name, usage string }{
		{"tag", "requests of keys with this tag"},
		{"user", "requests of this user; * for each user without a budget of its own"},
		{"agent", "requests of this agent, such as claude-code; * for each agent without a budget of its own"},
	} {
		o.Flags.Func(kind.name, "apply to "+kind.usage, func(v string) error { return selectRequests(b, kind.name, v) })
	}
	o.Flags.Func("key", "apply to each key without a budget of its own; the value must be *", func(v string) error { return selectRequests(b, "key", v) })
	for _, w := range budgetWindows {
		name, usage := "usd-per-"+w.name, "US dollars per "+w.name+", in UTC, such as 2.50"
		if w.name == "total" {
			name, usage = "usd-total", "prepaid US dollars; this amount never resets"
		}
		o.Flags.Func(name, usage, parseUSD(w.amount(b.Amounts)))
	}
	o.AddAccountFlag("default: the operator's account")
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		if b.Kind == "" {
			return errors.New("say which requests the budget applies to: add --tag, --user, --agent or --key; see signalbox budgets set --help")
		}
		r, err := o.Accounts.SetBudget(ctx, &keyauthv1.SetBudgetRequest{Actor: remote.ActorFor(a), Budget: b})
		if err != nil {
			return err
		}
		view := toGroupBudgetView(r.GetBudget(), nil)
		rows := [][]string{{"Budget", view.Name}, {"Applies to", view.Kind + " " + view.Value}, {"Account", remote.AccountLabel(a)}}
		for _, w := range budgetWindows {
			if limit := view.Amounts[w.field]; limit > 0 {
				rows = append(rows, []string{"Per " + w.name, cli.FormatUSD(limit)})
			}
		}
		return o.PrintResult(view, rows...)
	})
}

func selectRequests(b *keyauthv1.Budget, kind, value string) error {
	if b.Kind != "" {
		return fmt.Errorf("a budget has one selector, and --%s is set already", b.Kind)
	}
	b.Kind, b.Value = kind, value
	return nil
}

func removeBudget(ctx context.Context, c cli.Invocation) error {
	o := remote.NewCommand(c)
	var name string
	o.Flags.Argument(&name, "NAME", "name of the budget")
	o.AddAccountFlag("default: the operator's account")
	o.AddYesFlag()
	return o.RunWithAccount(ctx, func(a *keyauthv1.Account) error {
		if err := o.Confirm(ctx, fmt.Sprintf("Remove the budget %s of %s?", name, remote.AccountLabel(a))); err != nil {
			return err
		}
		if _, err := o.Accounts.RemoveBudget(ctx, &keyauthv1.RemoveBudgetRequest{Actor: remote.ActorFor(a), Name: name}); err != nil {
			return err
		}
		return o.PrintResult(map[string]string{"removed": name}, []string{"Removed", name})
	})
}

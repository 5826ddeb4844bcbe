package ledger

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// alertsView is the alerts of an account, in the JSON format of the API.
type alertsView struct {
	Rules    []alertRule    `json:"rules"`
	Channels []alertChannel `json:"channels"`
	Firing   []alertFiring  `json:"firing"`
}

type alertRule struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Kind          string   `json:"kind"`
	Threshold     float64  `json:"threshold"`
	WindowSeconds int64    `json:"window_seconds"`
	MinRequests   int64    `json:"min_requests"`
	Enabled       bool     `json:"enabled"`
	Channels      []string `json:"channels"`
	Author        string   `json:"author"`
	UpdatedAt     string   `json:"updated_at"`
}

// alertChannel has a masked address.
type alertChannel struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Address   string  `json:"address"`
	LastError *string `json:"last_error"`
	LastAt    *string `json:"last_at"`
}

type alertFiring struct {
	RuleID  string  `json:"rule_id"`
	Subject *string `json:"subject"`
}

func listAlerts(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	b.AddAccountFlag("default: the operator's account")
	return b.RunForAccount(ctx, func() error {
		var v alertsView
		if err := b.GetJSON(ctx, "/alerts", nil, &v); err != nil {
			return err
		}
		return b.PrintResult(v, alertTable(v)...)
	})
}

func alertTable(v alertsView) [][]string {
	rows := [][]string{{"STATE", "ALERT", "KIND", "THRESHOLD", "WINDOW", "CHANNELS", "CHANGED BY"}}
	for _, r := range v.Rules {
		rows = append(rows, []string{
			alertState(r, v.Firing), r.Name, r.Kind, strconv.FormatFloat(r.Threshold, 'f', -1, 64),
			(time.Duration(r.WindowSeconds) * time.Second).String(), channelNames(r, v.Channels), r.Author,
		})
	}
	return rows
}

// alertState returns off, ok, or firing with the subjects that exceed the threshold.
func alertState(r alertRule, firing []alertFiring) string {
	if !r.Enabled {
		return "off"
	}
	state, subjects := "ok", []string{}
	for _, f := range firing {
		if f.RuleID != r.ID {
			continue
		}
		state = "firing"
		if f.Subject != nil {
			subjects = append(subjects, *f.Subject)
		}
	}
	if len(subjects) > 0 {
		state += ": " + strings.Join(subjects, ", ")
	}
	return state
}

func channelNames(r alertRule, channels []alertChannel) string {
	var names []string
	for _, c := range channels {
		if slices.Contains(r.Channels, c.ID) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

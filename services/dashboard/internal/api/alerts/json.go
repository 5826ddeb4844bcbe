package alerts

import (
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type alertsJSON struct {
	// Kinds are the kinds of rules that the account may use.
	Kinds    []kindJSON    `json:"kinds"`
	Rules    []ruleJSON    `json:"rules"`
	Channels []channelJSON `json:"channels"`
	Firing   []firingJSON  `json:"firing"`
	// Events are the newest ones, newest first.
	Events []eventJSON `json:"events"`
	// Email is true if the installation can send e-mail.
	Email bool `json:"email"`
}

type kindJSON struct {
	Kind     string  `json:"kind"`
	Name     string  `json:"name"`
	About    string  `json:"about"`
	Operator bool    `json:"operator"`
	Unit     string  `json:"unit"`
	Default  float64 `json:"default"`
	Windows  []int64 `json:"windows"`
	Requests bool    `json:"requests"`
	Runbook  string  `json:"runbook"`
}

type ruleJSON struct {
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

type quietJSON struct {
	// From and To are minutes since midnight.
	From int    `json:"from"`
	To   int    `json:"to"`
	Zone string `json:"zone"`
}

type channelJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Address is masked: of a URL it has only the host.
	Address    string     `json:"address"`
	Signed     bool       `json:"signed"`
	QuietHours *quietJSON `json:"quiet_hours"`
	// LastError says why the newest delivery failed; null if it succeeded or there was none.
	LastError *string `json:"last_error"`
	LastAt    *string `json:"last_at"`
}

type firingJSON struct {
	RuleID   string  `json:"rule_id"`
	Subject  *string `json:"subject"`
	Incident string  `json:"incident"`
	Since    string  `json:"since"`
	Value    float64 `json:"value"`
}

type eventJSON struct {
	ID       string `json:"id"`
	RuleID   string `json:"rule_id"`
	Incident string `json:"incident"`
	Firing   bool   `json:"firing"`
	Time     string `json:"time"`
	Text     string `json:"text"`
}

func toAlertsJSON(rules []alert.Rule, channels []alert.Channel, firing []alert.State, events []alert.Event, operator, email bool) alertsJSON {
	out := alertsJSON{
		Kinds: []kindJSON{}, Rules: jsonvalue.ConvertAll(rules, toRuleJSON), Channels: jsonvalue.ConvertAll(channels, toChannelJSON), Email: email,
		Firing: jsonvalue.ConvertAll(firing, func(s alert.State) firingJSON {
			return firingJSON{s.RuleID, jsonvalue.NullIfZero(s.Name), s.Incident, jsonvalue.FormatTime(s.Since), s.Value}
		}),
		Events: jsonvalue.ConvertAll(events, func(e alert.Event) eventJSON {
			return eventJSON{e.ID, e.RuleID, e.Incident, e.Firing, jsonvalue.FormatTime(e.At), e.Text}
		}),
	}
	for _, k := range alert.Kinds() {
		if operator || !k.Operator {
			out.Kinds = append(out.Kinds, toKindJSON(k))
		}
	}
	return out
}

func toKindJSON(k alert.KindSpec) kindJSON {
	return kindJSON{
		Kind: string(k.Kind), Name: k.Name, About: k.About, Operator: k.Operator, Unit: string(k.Unit), Default: k.Default,
		Windows:  jsonvalue.ConvertAll(k.Windows, func(d time.Duration) int64 { return int64(d / time.Second) }),
		Requests: k.Requests, Runbook: k.Kind.Runbook(),
	}
}

func toRuleJSON(r alert.Rule) ruleJSON {
	return ruleJSON{
		ID: r.ID, Name: r.Name, Kind: string(r.Kind), Threshold: r.Threshold, WindowSeconds: int64(r.Window / time.Second), MinRequests: r.MinRequests,
		Enabled: r.Enabled, Channels: jsonvalue.OrEmpty(r.Channels), Author: r.Author, UpdatedAt: jsonvalue.FormatTime(r.Updated),
	}
}

func toChannelJSON(c alert.Channel) channelJSON {
	j := channelJSON{
		ID: c.ID, Name: c.Name, Kind: string(c.Kind), Address: c.MaskedAddress(), Signed: c.Secret != "",
		LastError: jsonvalue.NullIfZero(c.LastError), LastAt: jsonvalue.FormatTimeOrNull(c.LastAt),
	}
	if c.Quiet.IsSet() {
		j.QuietHours = &quietJSON{c.Quiet.From, c.Quiet.To, c.Quiet.Zone}
	}
	return j
}

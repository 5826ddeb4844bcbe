package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

func TestEntries(t *testing.T) {
	for name, tt := range map[string]struct {
		of     interface{ Entry() (report.Entry, error) }
		action string
		want   string
		field  string
		value  any
	}{
		"published":       {report.PolicyChange{Version: "abc", Note: "cheaper"}, "policy.publish", "abc", "note", "cheaper"},
		"rolled back":     {report.PolicyChange{Version: "abc", Rollback: true}, "policy.rollback", "abc", "version", "abc"},
		"provider":        {report.DrainChange{Provider: "openai", Reason: "bills"}, "provider.drain", "openai", "reason", "bills"},
		"model":           {report.DrainChange{Model: "small", Resumed: true}, "provider.resume", "small", "model", "small"},
		"endpoint":        {report.DrainChange{Provider: "openai", Model: "small"}, "provider.drain", "small@openai", "provider", "openai"},
		"rollout of user": {report.RolloutEvent{Rollout: "r1", Number: 2, Action: "start", Version: "abc", Share: 150, Author: "o@example.com"}, "rollout.start", "r1/2", "share_percent", 1.5},
		"alert":           {report.AlertChange{Action: "update", Subject: "a1", Before: map[string]string{"state": "on"}, After: map[string]string{"state": "off"}}, "alert.update", "a1", "state", "off"},
		"guardrail":       {report.RolloutEvent{Rollout: "r1", Number: 3, Action: "halt", Version: "abc"}, "rollout.halt", "r1/3", "automatic", true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := tt.of.Entry()
			require.NoError(t, err)
			require.Equal(t, []string{tt.action, tt.want}, []string{e.Action, e.Subject})
			require.Equal(t, tt.value, e.Fields[tt.field])
		})
	}
}

func TestInvalidReports(t *testing.T) {
	long := strings.Repeat("x", 1001)
	for name, tt := range map[string]struct {
		of    interface{ Entry() (report.Entry, error) }
		param string
	}{
		"no version":           {report.PolicyChange{}, "version"},
		"long note":            {report.PolicyChange{Version: "a", Note: long}, "note"},
		"nothing to drain":     {report.DrainChange{Reason: "x"}, "provider"},
		"long model":           {report.DrainChange{Model: long}, "provider"},
		"long reason":          {report.DrainChange{Model: "m", Reason: long}, "reason"},
		"unknown alert action": {report.AlertChange{Action: "explode", Subject: "a"}, "action"},
		"no alert":             {report.AlertChange{Action: "create"}, "subject"},
		"secret of a channel":  {report.AlertChange{Action: "update_channel", Subject: "a", Before: map[string]string{"secret": "whsec_1"}}, "settings"},
		"long setting":         {report.AlertChange{Action: "create", Subject: "a", After: map[string]string{"name": strings.Repeat(long, 8)}}, "settings"},
		"no rollout":           {report.RolloutEvent{Action: "start", Version: "a"}, "rollout"},
		"unknown action":       {report.RolloutEvent{Rollout: "r", Action: "explode", Version: "a"}, "action"},
		"rollout of nothing":   {report.RolloutEvent{Rollout: "r", Action: "start"}, "version"},
		"long rollout reasons": {report.RolloutEvent{Rollout: "r", Action: "start", Version: "a", Reason: long}, "reason"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.of.Entry()
			require.True(t, apperr.Is(err, apperr.InvalidRequest))
			require.Equal(t, tt.param, apperr.From(err).Details["param"])
		})
	}
}

func TestEmailOfARollout(t *testing.T) {
	require.Equal(t, "o@example.com", report.RolloutEvent{Author: "o@example.com"}.Email())
	require.Empty(t, report.RolloutEvent{Author: "operator"}.Email())
}

func TestLastUses(t *testing.T) {
	now := time.Now()
	account, key := uuid.NewString(), uuid.NewString()
	got, err := report.LastUses([]report.Use{
		{AccountID: account, KeyID: key, At: now.Add(-time.Hour), Address: "192.0.2.1"},
		{AccountID: account, KeyID: key, At: now.Add(time.Hour), Address: "no address"},
		{AccountID: account, KeyID: key, At: now.Add(-time.Minute), Address: "192.0.2.2"},
		{AccountID: account, KeyID: uuid.NewString()},
		{AccountID: "x\x00y", KeyID: key, At: now},
		{AccountID: account, At: now},
	}, now)
	require.NoError(t, err)
	require.Equal(t, []report.Use{{AccountID: account, KeyID: key, At: now.Add(time.Minute)}}, got, "the clock of a reporter may be a minute ahead")
	_, err = report.LastUses(make([]report.Use, 1001), now)
	require.True(t, apperr.Is(err, apperr.InvalidRequest))
}

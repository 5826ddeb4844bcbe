package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

func TestDrainsAreEventsOfTheOperator(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	b, err := w.Bootstrap(t.Context(), "operator")
	require.NoError(t, err)
	in, err := w.Claim(t.Context(), b.ClaimToken, person("o@example.com"))
	require.NoError(t, err)
	me := actorOf(in)
	require.NoError(t, w.RecordDrain(t.Context(), me, report.DrainChange{Provider: "openai", Reason: "bills"}))
	require.NoError(t, w.RecordDrain(t.Context(), me, report.DrainChange{Provider: "openai", Model: "small", Resumed: true}))
	events, _, err := w.Audit(t.Context(), me, audit.Filter{Action: "provider"}, 0, 10)
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.Equal(t, []string{"provider.resume", "small@openai", "o@example.com"}, []string{events[0].Action, events[0].Subject, events[0].Email})
	require.Equal(t, []string{"provider.drain", "openai"}, []string{events[1].Action, events[1].Subject})
	require.JSONEq(t, `{"provider":"openai","reason":"bills"}`, events[1].After)

	requireCode(t, apperr.InvalidRequest, w.RecordDrain(t.Context(), me, report.DrainChange{Reason: "x"}))
	other, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	requireCode(t, apperr.AuthForbidden, w.RecordDrain(t.Context(), actorOf(other), report.DrainChange{Model: "small", Reason: "x"}))
	helper := w.newActor(t, me.AccountID, access.Member)
	requireCode(t, apperr.AuthForbidden, w.RecordDrain(t.Context(), helper, report.DrainChange{Model: "small", Reason: "x"}))
}

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

func TestChangesOfAlertsAreEventsOfTheirAccount(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	in, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	me := actorOf(in)
	on, off := map[string]string{"name": "Errors", "state": "on"}, map[string]string{"name": "Errors", "state": "off"}
	for _, c := range []report.AlertChange{
		{Action: "create", Subject: "a1", After: on}, {Action: "update", Subject: "a1", Before: on, After: off}, {Action: "delete", Subject: "a1", Before: off},
	} {
		require.NoError(t, w.RecordAlertChange(t.Context(), me, c))
	}
	events, _, err := w.Audit(t.Context(), me, audit.Filter{Action: "alert"}, 0, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
	for i, want := range [][3]string{
		{"alert.delete", `{"name":"Errors","state":"off"}`, `{}`},
		{"alert.update", `{"state":"on"}`, `{"state":"off"}`},
		{"alert.create", `{}`, `{"name":"Errors","state":"on"}`},
	} {
		require.Equal(t, want, [3]string{events[i].Action, events[i].Before, events[i].After})
		require.Equal(t, []string{"a1", "ada@example.com"}, []string{events[i].Subject, events[i].Email})
	}
	requireCode(t, apperr.InvalidRequest, w.RecordAlertChange(t.Context(), me, report.AlertChange{}))
	helper := w.newActor(t, me.AccountID, access.Member)
	requireCode(t, apperr.AuthForbidden, w.RecordAlertChange(t.Context(), helper, report.AlertChange{Action: "delete", Subject: "a1"}))
}

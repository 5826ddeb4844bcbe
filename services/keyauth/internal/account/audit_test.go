package account_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func (w world) trail(t *testing.T, accountID string) []audit.Event {
	t.Helper()
	events, next, err := w.Audit(t.Context(), access.Actor{AccountID: accountID}, audit.Filter{}, 0, 200)
	require.NoError(t, err)
	require.Zero(t, next)
	return events
}

func TestEveryChangeIsAudited(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "Ada's")
		require.NoError(t, err)
		me, ctx := actorOf(in), t.Context()
		key, err := w.Keys.Create(ctx, me, setting.Key{Name: "k", Tags: []string{"eu"}})
		require.NoError(t, err)
		id := key.Key.ID
		_, err = w.Keys.Update(ctx, me, id, setting.Key{Name: "renamed", Limits: setting.Limits{TokensPerMinute: 5}},
			[]string{"name", "limits"})
		require.NoError(t, err)
		next, err := w.Keys.Rotate(ctx, me, id, time.Hour)
		require.NoError(t, err)
		_, err = w.Keys.Revoke(ctx, me, next.Key.ID)
		require.NoError(t, err)
		_, err = w.UpdateAccount(ctx, me, access.Account{Capture: setting.CaptureNone}, []string{"capture"})
		require.NoError(t, err)
		invite, err := w.InviteUser(ctx, me, access.Viewer)
		require.NoError(t, err)
		bob, err := w.AcceptInvite(ctx, invite.Token, person("bob@example.com"), "")
		require.NoError(t, err)
		_, err = w.UpdateUser(ctx, me, bob.Identity.User.ID, access.Member)
		require.NoError(t, err)
		require.NoError(t, w.EndSession(ctx, me, in.Identity.Session.ID))
		require.NoError(t, w.EndSessions(ctx, me, bob.Identity.User.ID, ""))
		_, err = w.ChangePassword(ctx, me, "", "correct horse", newPassword)
		require.NoError(t, err)
		reset, err := w.ResetPassword(ctx, "bob@example.com")
		require.NoError(t, err)
		set, err := w.SetPassword(ctx, reset.Token, newPassword, "")
		require.NoError(t, err)
		ended, err := w.InviteUser(ctx, me, access.Owner)
		require.NoError(t, err)
		invites, err := w.Invites(ctx, me)
		require.NoError(t, err)
		require.NoError(t, w.RevokeInvite(ctx, me, invites[0].ID))
		require.NoError(t, w.RemoveUser(ctx, actorOf(bob), bob.Identity.User.ID))

		events := w.trail(t, me.AccountID)
		requireTrail(t, events,
			"account.create ada", "key.create ada", "key.update ada", "key.create ada", "key.rotate ada", "key.revoke ada",
			"account.update ada", "invite.create ada", "invite.accept bob", "user.role ada", "session.end ada",
			"sessions.end ada", "password.change ada", "password.reset ", "password.set bob", "invite.create ada",
			"invite.revoke ada", "user.remove bob")
		update := events[len(events)-3]
		require.Equal(t, id, update.Subject)
		require.JSONEq(t, `{"name":"k","limits.tokens_per_minute":0}`, update.Before)
		require.JSONEq(t, `{"name":"renamed","limits.tokens_per_minute":5}`, update.After)
		requireChange(t, events, "session.end", `{"user_id":"`+me.UserID+`","client":"browser 1","created_at":"`+
			in.Identity.Session.CreatedAt.Format(time.RFC3339Nano)+`"}`, `{}`)
		requireChange(t, events, "sessions.end", `{"sessions":1}`, `{"sessions":0}`)
		requireChange(t, events, "invite.revoke", `{"role":"owner","expires_at":"`+ended.ExpiresAt.Format(time.RFC3339Nano)+`"}`, `{}`)

		text, err := json.Marshal(events)
		require.NoError(t, err)
		for _, secret := range []string{
			key.Secret, next.Secret, in.Token, invite.Token, ended.Token, bob.Token, reset.Token, set.Token,
			"argon2", "correct horse", newPassword, "mac", "hash",
		} {
			require.NotContains(t, strings.ToLower(string(text)), strings.ToLower(secret))
		}
	})
}

// requireChange compares the newest event with that action.
func requireChange(t *testing.T, events []audit.Event, action, before, after string) {
	t.Helper()
	at := slices.IndexFunc(events, func(e audit.Event) bool { return e.Action == action })
	require.GreaterOrEqual(t, at, 0, action)
	require.JSONEq(t, before, events[at].Before)
	require.JSONEq(t, after, events[at].After)
}

// requireTrail compares the events with "action name", oldest first.
func requireTrail(t *testing.T, events []audit.Event, want ...string) {
	t.Helper()
	var got []string
	for i := len(events) - 1; i >= 0; i-- {
		name, _, _ := strings.Cut(events[i].Email, "@")
		got = append(got, events[i].Action+" "+name)
		require.Equal(t, events[i].UserID == "", name == "")
	}
	require.Equal(t, want, got)
}

func TestOperatorChangesAreAudited(t *testing.T) {
	w := newWorld(t, account.RegistrationInvite)
	b, err := w.Bootstrap(t.Context(), "")
	require.NoError(t, err)
	op, err := w.store.Operator(t.Context())
	require.NoError(t, err)
	b, err = w.Bootstrap(t.Context(), b.Key)
	require.NoError(t, err)
	in, err := w.Claim(t.Context(), b.ClaimToken, person("op@example.com"))
	require.NoError(t, err)
	invite, err := w.InviteAccount(t.Context(), actorOf(in))
	require.NoError(t, err)
	guest, err := w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "Ada's")
	require.NoError(t, err)

	requireTrail(t, w.trail(t, op.ID), "account.create ", "key.create ", "account.renew_claim ", "account.claim op",
		"invite.create op", "invite.accept ")
	theirs := w.trail(t, guest.Identity.Account.ID)
	requireTrail(t, theirs, "account.create ada")
	require.JSONEq(t, `{"email":"ada@example.com","role":"owner","name":"Ada's"}`, theirs[0].After)
}

func TestAuditLogPages(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for range 5 {
		_, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
	}
	var versions []int64
	for before, more := int64(0), true; more; more = before != 0 {
		events, next, err := w.Audit(t.Context(), owner, audit.Filter{}, before, 2)
		require.NoError(t, err)
		for _, e := range events {
			versions = append(versions, e.Version)
		}
		before = next
	}
	require.Equal(t, []int64{5, 4, 3, 2, 1}, versions)
}

// everySetting has a non-zero value in every setting.
func everySetting() setting.Key {
	return setting.Key{
		Name: "k", Scopes: []string{"chat"}, Models: []string{"large"}, Tags: []string{"eu"}, MaySwapModel: true,
		BaselineModel: "large", Capture: setting.CaptureNone, ErrorFormat: setting.FormatOpenAI,
		ExpiresAt: time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond), Limits: setting.Limits{
			RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5,
		},
	}
}

func TestResetsAreAudited(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner, settings := w.newOwner(t), everySetting()
		made, err := w.Keys.Create(t.Context(), owner, settings)
		require.NoError(t, err)
		_, err = w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{}, []string{
			"scopes", "models", "tags", "may_swap_model", "baseline_model", "capture", "error_format", "expires_at", "limits",
		})
		require.NoError(t, err)
		requireChange(t, w.trail(t, owner.AccountID), "key.update", `{"scopes":["chat"],"models":["large"],"tags":["eu"],"may_swap_model":true,
			"baseline_model":"large","capture":"none","error_format":"openai","expires_at":"`+settings.ExpiresAt.Format(time.RFC3339Nano)+`",
			"limits.requests_per_minute":1,"limits.tokens_per_minute":2,"limits.concurrent_requests":3,"limits.nano_usd_per_day":4,
			"limits.nano_usd_per_month":5}`,
			`{"scopes":[],"models":[],"tags":[],"may_swap_model":false,"baseline_model":null,"capture":null,"error_format":null,
			"expires_at":null,"limits.requests_per_minute":0,"limits.tokens_per_minute":0,"limits.concurrent_requests":0,
			"limits.nano_usd_per_day":0,"limits.nano_usd_per_month":0}`)
	})
}

func TestUnchangedUpdatesAreNotAudited(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		me, ctx, settings := actorOf(in), t.Context(), everySetting()
		made, err := w.Keys.Create(ctx, me, settings)
		require.NoError(t, err)
		before := w.trail(t, me.AccountID)
		head, err := w.Keys.Head(ctx)
		require.NoError(t, err)

		_, err = w.Keys.Update(ctx, me, made.Key.ID, settings, []string{
			"name", "scopes", "models", "tags", "may_swap_model", "baseline_model", "capture", "error_format", "expires_at", "limits",
		})
		require.NoError(t, err)
		_, err = w.UpdateAccount(ctx, me, in.Identity.Account, []string{"name", "baseline_model", "capture", "content_days"})
		require.NoError(t, err)
		_, err = w.UpdateUser(ctx, me, me.UserID, access.Owner)
		require.NoError(t, err)
		require.NoError(t, w.EndSessions(ctx, me, "", in.Identity.Session.ID))
		require.NoError(t, w.EndSession(ctx, me, in.Identity.Session.ID))
		require.NoError(t, w.EndSessions(ctx, me, "", ""))

		require.Len(t, w.trail(t, me.AccountID), len(before)+1, "one session has ended")
		after, err := w.Keys.Head(ctx)
		require.NoError(t, err)
		require.Equal(t, head, after, "no change for proxies")
	})
}

func TestRefusedChangesAreNotAudited(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	viewer := w.newActor(t, owner.AccountID, access.Viewer)
	_, err := w.Keys.Create(t.Context(), viewer, setting.Key{Name: "k"})
	requireCode(t, apperr.AuthForbidden, err)
	_, err = w.Keys.Create(t.Context(), owner, setting.Key{})
	requireParam(t, "name", err)
	require.Empty(t, w.trail(t, owner.AccountID))
}

func TestPolicyChangesAreEventsOfTheOperator(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		b, err := w.Bootstrap(t.Context(), "operator")
		require.NoError(t, err)
		in, err := w.Claim(t.Context(), b.ClaimToken, person("o@example.com"))
		require.NoError(t, err)
		me := actorOf(in)
		require.NoError(t, w.RecordPolicyChange(t.Context(), me, report.PolicyChange{Version: "abc", Note: "cheaper"}))
		require.NoError(t, w.RecordPolicyChange(t.Context(), me, report.PolicyChange{Version: "def", Rollback: true}))
		events, _, err := w.Audit(t.Context(), me, audit.Filter{}, 0, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"policy.rollback", "def", "o@example.com", `{"version":"def"}`}, []string{events[0].Action, events[0].Subject, events[0].Email, events[0].After})
		require.Equal(t, []string{"policy.publish", "abc", "o@example.com", `{"note":"cheaper","version":"abc"}`}, []string{events[1].Action, events[1].Subject, events[1].Email, events[1].After})

		other, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		requireCode(t, apperr.AuthForbidden, w.RecordPolicyChange(t.Context(), actorOf(other), report.PolicyChange{Version: "abc"}))
		requireCode(t, apperr.AuthForbidden, w.RecordPolicyChange(t.Context(), w.newActor(t, me.AccountID, access.Viewer), report.PolicyChange{Version: "abc"}))
		requireParam(t, "version", w.RecordPolicyChange(t.Context(), me, report.PolicyChange{}))
		requireParam(t, "note", w.RecordPolicyChange(t.Context(), me, report.PolicyChange{Version: "a", Note: strings.Repeat("x", 1001)}))
	})
}

func TestRolloutEventsAreRecordedOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		started := report.RolloutEvent{Rollout: "r1", Number: 1, Action: "start", Version: "abc", Share: 100, Author: "o@example.com"}
		requireCode(t, apperr.NotFound, w.RecordRolloutEvent(t.Context(), started))
		b, err := w.Bootstrap(t.Context(), "operator")
		require.NoError(t, err)
		in, err := w.Claim(t.Context(), b.ClaimToken, person("o@example.com"))
		require.NoError(t, err)
		ended := report.RolloutEvent{Rollout: "r1", Number: 2, Action: "roll_back", Version: "abc", Reason: "more errors"}
		for _, e := range []report.RolloutEvent{started, ended, started, ended} {
			require.NoError(t, w.RecordRolloutEvent(t.Context(), e))
		}
		events, _, err := w.Audit(t.Context(), actorOf(in), audit.Filter{}, 0, 3)
		require.NoError(t, err)
		require.Equal(t, []string{"rollout.roll_back", "r1/2", "", `{"automatic":true,"reason":"more errors","version":"abc"}`},
			[]string{events[0].Action, events[0].Subject, events[0].Email, events[0].After})
		require.Equal(t, []string{"rollout.start", "r1/1", "o@example.com", `{"share_percent":1,"version":"abc"}`},
			[]string{events[1].Action, events[1].Subject, events[1].Email, events[1].After})
		require.NotContains(t, events[2].Action, "rollout.")
		requireParam(t, "action", w.RecordRolloutEvent(t.Context(), report.RolloutEvent{Rollout: "r1", Action: "explode", Version: "abc"}))
		requireParam(t, "version", w.RecordRolloutEvent(t.Context(), report.RolloutEvent{Rollout: "r1", Action: "start"}))
	})
}

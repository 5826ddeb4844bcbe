package measure_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/measure"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// around is the world of a Source besides the ledger.
type around struct {
	status *routerv1.StatusResponse
	actor  *keyauthv1.Actor
}

func (a *around) Status(context.Context, *routerv1.StatusRequest, ...grpc.CallOption) (*routerv1.StatusResponse, error) {
	return a.status, nil
}

func (a *around) GetAccount(_ context.Context, r *keyauthv1.GetAccountRequest, _ ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error) {
	if a.actor = r.GetActor(); a.actor.GetUserId() == "removed" {
		return nil, apperr.New(apperr.AuthForbidden, "no such user")
	}
	return &keyauthv1.GetAccountResponse{Account: &keyauthv1.Account{Limits: &keyauthv1.Limits{NanoUsdPerDay: 10_000, NanoUsdPerMonth: 0}}}, nil
}

func (a *around) ListKeys(context.Context, *keyauthv1.ListKeysRequest, ...grpc.CallOption) (*keyauthv1.ListKeysResponse, error) {
	key := func(id string, state keyauthv1.KeyState) *keyauthv1.Key {
		return &keyauthv1.Key{Id: id, State: state, Settings: &keyauthv1.KeySettings{Name: id, Limits: &keyauthv1.Limits{NanoUsdPerMonth: 4000}}}
	}
	return &keyauthv1.ListKeysResponse{Keys: []*keyauthv1.Key{
		key("key_1", keyauthv1.KeyState_KEY_STATE_ACTIVE), key("idle", keyauthv1.KeyState_KEY_STATE_ACTIVE), key("gone", keyauthv1.KeyState_KEY_STATE_REVOKED),
	}}, nil
}

func (a *around) ListBudgets(context.Context, *keyauthv1.ListBudgetsRequest, ...grpc.CallOption) (*keyauthv1.ListBudgetsResponse, error) {
	return &keyauthv1.ListBudgetsResponse{
		Budgets: []*keyauthv1.Budget{
			{Id: "g1", Name: "users", Amounts: &keyauthv1.BudgetAmounts{NanoUsdPerWeek: 1000, NanoUsdTotal: 5000}},
			{Id: "g2", Name: "team", Amounts: &keyauthv1.BudgetAmounts{NanoUsdPerHour: 100}},
		},
		Spent: []*keyauthv1.Spent{
			{Budget: "g1/ada", Period: "2026-W47", NanoUsd: 900}, {Budget: "g1/ben", Period: "2026-W47", NanoUsd: 700}, {Budget: "g2", Period: "2026-11-17T05", NanoUsd: 50},
		},
	}, nil
}

var now = storetest.Base().Add(10 * time.Minute)

// newSource returns a Source whose ledger has 40 requests of the account and 40 failures of another.
func newSource(t *testing.T) (*measure.Source, *around) {
	s := storetest.Open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	var all []*record.Record
	for n := range 40 {
		r := storetest.Make("acc", n)
		r.Latency = int64(n+1) * 1_000_000
		switch {
		case n < 4:
			r.Outcome = []record.Outcome{record.OutcomeError, record.OutcomeInterrupted, record.OutcomeAborted, record.OutcomeClientClosed}[n]
		case n < 10:
			r.Route = record.RouteFallback
		case n < 20:
			r.Outcome = record.OutcomeRejected
		}
		other := storetest.Make("other", 100+n)
		other.Outcome = record.OutcomeError
		all = append(all, r, other)
	}
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
	a := &around{}
	return &measure.Source{Ledger: s, Accounts: a, Router: a, CheckCompleteness: func() error { return nil }}, a
}

func one(t *testing.T, s *measure.Source, r alert.Rule) alert.Reading {
	t.Helper()
	all, err := s.Measure(t.Context(), r, now)
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func TestRequestsOfTheAccountAreMeasured(t *testing.T) {
	s, _ := newSource(t)
	rule := alert.Rule{AccountID: "acc", Kind: alert.ErrorRate, Window: 15 * time.Minute, MinRequests: 30}
	require.Equal(t, alert.Reading{Value: 10, Detail: "3 of 30 requests"}, one(t, s, rule))
	rule.MinRequests = 31
	require.True(t, one(t, s, rule).Quiet)
	rule.Kind = alert.FallbackRate
	require.Equal(t, "6 of 30 requests", one(t, s, rule).Detail)
	rule.Kind, rule.MinRequests = alert.Latency, 0
	require.Equal(t, alert.Reading{Value: 39_000, Detail: "the 95th percentile of 26 requests"}, one(t, s, rule))
	rule.Kind = alert.Spend
	require.EqualValues(t, 40*100, one(t, s, rule).Value)
	rule.AccountID = "empty"
	for _, k := range []alert.Kind{alert.ErrorRate, alert.FallbackRate, alert.Latency} {
		rule.Kind = k
		require.True(t, one(t, s, rule).Quiet, k)
	}
}

func TestBudgetsAreReadAsTheAuthor(t *testing.T) {
	s, a := newSource(t)
	rule := alert.Rule{AccountID: "acc", AuthorID: "user_1", Kind: alert.Budget}
	all, err := s.Measure(t.Context(), rule, now)
	require.NoError(t, err)
	require.Equal(t, "user_1", a.actor.GetUserId())
	require.Equal(t, "acc", a.actor.GetAccountId())
	var got []string
	for _, v := range all {
		got = append(got, v.Subject+" "+alert.Percent.FormatValue(v.Value))
	}
	require.Equal(t, []string{
		"account/day 40 %", "key_1/month 100 %", "idle/month 0 %", "g1/week 90 %", "g1/total 0 %", "g2/hour 50 %",
	}, got)
	require.Equal(t, "budget users: ada, week", all[3].Name, "the member that has spent most")
	rule.AuthorID = "removed"
	_, err = s.Measure(t.Context(), rule, now)
	require.Error(t, err)
}

// TestCredentialsStayMissingWithoutCalls has candidates that the router knows no calls of.
func TestCredentialsStayMissingWithoutCalls(t *testing.T) {
	s, a := newSource(t)
	a.status = &routerv1.StatusResponse{
		Credentials: []*routerv1.CredentialStatus{
			{Provider: "missing", Name: "env:A", Missing: 2},
			{Provider: "rejected", Name: "env:B", Present: 1, Rejected: 1},
			{Provider: "one of two", Name: "env:C", Present: 2}, {Provider: "one of two", Name: "env:D", Rejected: 2},
			{Provider: "on one proxy", Name: "env:E", Present: 1, Missing: 1},
			{Provider: "mended", Name: "env:F", Present: 1, Rejected: 1},
			{Provider: "unused", Name: "env:G", Missing: 2},
		},
	}
	for _, name := range []string{"missing", "rejected", "one of two", "on one proxy", "mended", "keyless"} {
		c := &routerv1.CandidateStatus{Candidate: &routerv1.Candidate{Provider: name, Model: "m"}}
		if name == "mended" {
			c.Succeeded = 1
		}
		a.status.Candidates = append(a.status.Candidates, c)
	}
	all, err := s.Measure(t.Context(), alert.Rule{Kind: alert.CredentialsMissing}, now)
	require.NoError(t, err)
	var bad []string
	for _, v := range all {
		if v.Value > 0 {
			bad = append(bad, v.Subject)
		}
	}
	require.Equal(t, []string{"missing", "rejected"}, bad)
}

func TestTheInstallationIsMeasured(t *testing.T) {
	s, a := newSource(t)
	candidate := func(provider, down, code string, succeeded, failed int64) *routerv1.CandidateStatus {
		return &routerv1.CandidateStatus{Candidate: &routerv1.Candidate{Provider: provider, Model: "m"}, Down: down, LastCode: code, Succeeded: succeeded, Failed: failed}
	}
	a.status = &routerv1.StatusResponse{Candidates: []*routerv1.CandidateStatus{
		candidate("half", "breaker open", "", 0, 9), candidate("half", "", "", 9, 0),
		candidate("down", "breaker open", "PROVIDER_TIMEOUT", 0, 9), candidate("down", "breaker open", "", 0, 9),
		candidate("locked", "", "PROVIDER_AUTH_ERROR", 0, 3), candidate("mended", "", "PROVIDER_AUTH_ERROR", 5, 3),
	}}
	bad := func(k alert.Kind) (names []string) {
		all, err := s.Measure(t.Context(), alert.Rule{Kind: k}, now)
		require.NoError(t, err)
		for _, v := range all {
			if v.Value > 0 {
				names = append(names, v.Subject)
			}
		}
		return names
	}
	require.Equal(t, []string{"down"}, bad(alert.ProviderDown))
	require.Equal(t, []string{"locked"}, bad(alert.CredentialsMissing))
	require.Empty(t, bad(alert.Completeness))
	s.CheckCompleteness = func() error { return errors.New("postgres at 10.0.0.7 is away") }
	v := one(t, s, alert.Rule{Kind: alert.Completeness})
	require.EqualValues(t, 1, v.Value)
	require.NotContains(t, v.Detail, "10.0.0.7")

	require.Empty(t, bad(alert.CertificateEnding))
	s.Certificates = func() []measure.Certificate {
		return []measure.Certificate{{Name: "c", Ends: now.Add(36 * time.Hour)}}
	}
	require.InDelta(t, 1.5, one(t, s, alert.Rule{Kind: alert.CertificateEnding}).Value, 0.001)
	_, err := s.Measure(t.Context(), alert.Rule{Kind: "odd"}, now)
	require.Error(t, err)
}

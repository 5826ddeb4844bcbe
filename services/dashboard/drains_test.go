package dashboard_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func (router) Drain(_ context.Context, r *routerv1.DrainRequest) (*routerv1.DrainResponse, error) {
	if r.GetReason() == "" {
		return nil, apperr.New(apperr.InvalidRequest, "give a reason").With("param", "reason")
	}
	return &routerv1.DrainResponse{Drain: &routerv1.Drain{
		Provider: r.GetProvider(), Model: r.GetModel(), Reason: r.GetReason(), Author: r.GetAuthor(), Since: timestamppb.New(created),
	}}, nil
}

func (router) Resume(_ context.Context, r *routerv1.ResumeRequest) (*routerv1.ResumeResponse, error) {
	if r.GetModel() == "unknown" {
		return nil, apperr.New(apperr.NotFound, "it is not drained")
	}
	return &routerv1.ResumeResponse{}, nil
}

func (a *accounts) RecordDrain(_ context.Context, r *keyauthv1.RecordDrainRequest) (*keyauthv1.RecordDrainResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drains = append(a.drains, r)
	return &keyauthv1.RecordDrainResponse{}, nil
}

func TestDrainsAreInTheAuditLog(t *testing.T) {
	h := newTestEnv(t, "")
	operator := h.claimOperator()
	drained := operator.api("POST", "/providers/drain", `{"provider":"openai","reason":"bills"}`)
	require.Equal(t, http.StatusOK, drained.status, drained.body)
	got := drained.json(t)
	require.Equal(t, []any{"openai", nil, "bills"}, []any{got["provider"], got["model"], got["reason"]})
	require.NotEmpty(t, got["author"])
	require.Equal(t, http.StatusNoContent, operator.api("POST", "/providers/resume", `{"provider":"openai","reason":"paid"}`).status)
	require.Len(t, h.accounts.drains, 2)
	for i, want := range []string{"bills", "paid"} {
		one := h.accounts.drains[i]
		require.Equal(t, []any{"openai", "", want, i == 1}, []any{one.GetProvider(), one.GetModel(), one.GetReason(), one.GetResumed()})
		require.NotEmpty(t, one.GetActor().GetUserId())
	}
	operator.api("POST", "/providers/drain", `{"provider":"openai"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	operator.api("POST", "/providers/resume", `{"model":"unknown"}`).requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Len(t, h.accounts.drains, 2, "what did not happen is not recorded")
	helper := operator.joined("member@example.com", "member")
	helper.api("POST", "/providers/drain", `{"provider":"openai","reason":"x"}`).requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
}

func TestProvidersShowDrainsAndCredentials(t *testing.T) {
	got := newTestEnv(t, "").claimOperator().api("GET", "/providers", "").json(t)
	require.Equal(t, []any{map[string]any{
		"provider": "openai", "model": nil, "reason": "bills", "author": "op@example.com", "since": "2026-11-01T08:00:00.000000Z",
	}}, got["drains"])
	require.Equal(t, []any{map[string]any{
		"provider": "openai", "name": "env:OPENAI_API_KEY", "present": 1., "missing": 2., "rejected": 3.,
	}}, got["credentials"])
}

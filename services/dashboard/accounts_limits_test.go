package dashboard_test

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func (a *accounts) ReportSpend(_ context.Context, r *keyauthv1.ReportSpendRequest) (*keyauthv1.ReportSpendResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range r.GetSpend() {
		of := s.GetAccountId() + " " + s.GetKeyId() + " " + s.GetDay()
		a.spend[of] = max(a.spend[of], s.GetNanoUsd())
	}
	return &keyauthv1.ReportSpendResponse{}, nil
}

// spent returns the reported spend of a key on a day.
func (a *accounts) spent(of string) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spend[of]
}

func (a *accounts) RotateWebhookSecret(_ context.Context, r *keyauthv1.RotateWebhookSecretRequest) (*keyauthv1.RotateWebhookSecretResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.find(r.GetActor().GetAccountId()).identity.GetAccount().WebhookSigned = true
	return &keyauthv1.RotateWebhookSecretResponse{Secret: "whsec-1"}, nil
}

func (a *accounts) TestWebhook(_ context.Context, r *keyauthv1.TestWebhookRequest) (*keyauthv1.TestWebhookResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch a.find(r.GetActor().GetAccountId()).identity.GetAccount().GetWebhookUrl() {
	case "":
		return nil, apperr.New(apperr.InvalidRequest, "there is no webhook").With("param", "webhook_url")
	case "https://down.example.com":
		return &keyauthv1.TestWebhookResponse{Error: "it cannot be reached"}, nil
	}
	return &keyauthv1.TestWebhookResponse{Status: 204}, nil
}

// checkLimits rejects limits that look like typing errors.
func checkLimits(l *keyauthv1.Limits) error {
	for name, value := range map[string]int64{"nano_usd_per_day": l.GetNanoUsdPerDay(), "requests_per_minute": l.GetRequestsPerMinute()} {
		if value > 1e18 {
			return apperr.New(apperr.InvalidRequest, name+" is too much").With("param", "limits").With("name", name)
		}
	}
	return nil
}

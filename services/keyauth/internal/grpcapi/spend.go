package grpcapi

import (
	"context"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func (s *accountServer) ReportSpend(ctx context.Context, req *keyauthv1.ReportSpendRequest) (*keyauthv1.ReportSpendResponse, error) {
	return &keyauthv1.ReportSpendResponse{}, s.domain.ReportSpend(ctx, mapSlice(req.GetSpend(), spendFromProto))
}

func spendFromProto(s *keyauthv1.Spend) spend.Report {
	return spend.Report{AccountID: s.GetAccountId(), KeyID: s.GetKeyId(), Budget: s.GetBudget(), Day: s.GetDay(), Hour: int(s.GetHour()), NanoUSD: s.GetNanoUsd()}
}

func (s *accountServer) RotateWebhookSecret(ctx context.Context, req *keyauthv1.RotateWebhookSecretRequest) (*keyauthv1.RotateWebhookSecretResponse, error) {
	secret, err := s.domain.RotateWebhookSecret(ctx, actorFromProto(ctx, req))
	return &keyauthv1.RotateWebhookSecretResponse{Secret: secret}, err
}

func (s *accountServer) TestWebhook(ctx context.Context, req *keyauthv1.TestWebhookRequest) (*keyauthv1.TestWebhookResponse, error) {
	status, problem, err := s.domain.TestWebhook(ctx, actorFromProto(ctx, req))
	return &keyauthv1.TestWebhookResponse{Status: int32(status), Error: problem}, err
}

package grpcapi

import (
	"context"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

func (s *accountServer) GetAccount(ctx context.Context, req *keyauthv1.GetAccountRequest) (*keyauthv1.GetAccountResponse, error) {
	a, err := s.domain.Account(ctx, readerFromProto(req))
	if err != nil {
		return nil, err
	}
	// This caller has no user and is not the operator. It may read only the retention.
	if actorFromProto(ctx, req).UserID == noUserID {
		a = access.Account{ID: a.ID, ContentDays: a.ContentDays}
	}
	return &keyauthv1.GetAccountResponse{Account: accountToProto(a)}, nil
}

func (s *accountServer) UpdateAccount(ctx context.Context, req *keyauthv1.UpdateAccountRequest) (*keyauthv1.UpdateAccountResponse, error) {
	a, err := s.domain.UpdateAccount(ctx, actorFromProto(ctx, req), accountFromProto(req.GetAccount()), req.GetMask().GetPaths())
	return &keyauthv1.UpdateAccountResponse{Account: accountToProto(a)}, err
}

func (s *accountServer) CreateKey(ctx context.Context, req *keyauthv1.CreateKeyRequest) (*keyauthv1.CreateKeyResponse, error) {
	settings, err := settingsFromProto(req.GetSettings())
	if err != nil {
		return nil, err
	}
	made, err := s.domain.Keys.Create(ctx, actorFromProto(ctx, req), settings)
	return &keyauthv1.CreateKeyResponse{Key: keyToProto(made.Key), Secret: made.Secret}, err
}

func (s *accountServer) ListKeys(ctx context.Context, req *keyauthv1.ListKeysRequest) (*keyauthv1.ListKeysResponse, error) {
	keys, err := s.domain.Keys.List(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListKeysResponse{Keys: mapSlice(keys, keyToProto)}, err
}

func (s *accountServer) UpdateKey(ctx context.Context, req *keyauthv1.UpdateKeyRequest) (*keyauthv1.UpdateKeyResponse, error) {
	settings, err := settingsFromProto(req.GetSettings())
	if err != nil {
		return nil, err
	}
	k, err := s.domain.Keys.Update(ctx, actorFromProto(ctx, req), req.GetKeyId(), settings, req.GetMask().GetPaths())
	return &keyauthv1.UpdateKeyResponse{Key: keyToProto(k)}, err
}

func (s *accountServer) RotateKey(ctx context.Context, req *keyauthv1.RotateKeyRequest) (*keyauthv1.RotateKeyResponse, error) {
	made, err := s.domain.Keys.Rotate(ctx, actorFromProto(ctx, req), req.GetKeyId(), secondsToDuration(req.GetOverlapSeconds()))
	return &keyauthv1.RotateKeyResponse{Key: keyToProto(made.Key), Secret: made.Secret}, err
}

func (s *accountServer) RevokeKey(ctx context.Context, req *keyauthv1.RevokeKeyRequest) (*keyauthv1.RevokeKeyResponse, error) {
	k, err := s.domain.Keys.Revoke(ctx, actorFromProto(ctx, req), req.GetKeyId())
	return &keyauthv1.RevokeKeyResponse{Key: keyToProto(k)}, err
}

func (s *accountServer) IssuePlaygroundKey(ctx context.Context, req *keyauthv1.IssuePlaygroundKeyRequest) (*keyauthv1.IssuePlaygroundKeyResponse, error) {
	k, err := s.domain.Keys.IssuePlayground(ctx, actorFromProto(ctx, req))
	if err != nil {
		return nil, err
	}
	return &keyauthv1.IssuePlaygroundKeyResponse{KeyId: k.KeyID, Secret: k.Secret, RefreshAt: timestamppb.New(k.RefreshAt)}, nil
}

// secondsToDuration limits n, so that a huge number does not overflow to a small duration.
func secondsToDuration(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Second)
	return time.Duration(max(-most, min(n, most))) * time.Second
}

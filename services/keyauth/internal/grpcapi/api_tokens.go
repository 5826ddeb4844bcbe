package grpcapi

import (
	"context"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func (s *accountServer) CreateApiToken(ctx context.Context, req *keyauthv1.CreateApiTokenRequest) (*keyauthv1.CreateApiTokenResponse, error) {
	wanted := apitoken.Request{UserID: req.GetUserId(), Name: req.GetName(), Scopes: req.GetScopes()}
	if at := req.GetExpiresAt(); at != nil {
		if !at.IsValid() {
			return nil, setting.InvalidParam("expires_at", "the expiry is not a valid time")
		}
		wanted.ExpiresAt = at.AsTime()
	}
	made, err := s.domain.Tokens.Create(ctx, actorFromProto(ctx, req), wanted)
	return &keyauthv1.CreateApiTokenResponse{Token: apiTokenToProto(made.Token, made.Email), Secret: made.Secret}, err
}

func (s *accountServer) ListApiTokens(ctx context.Context, req *keyauthv1.ListApiTokensRequest) (*keyauthv1.ListApiTokensResponse, error) {
	all, emails, err := s.domain.Tokens.List(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListApiTokensResponse{Tokens: mapSlice(all, func(t apitoken.Token) *keyauthv1.ApiToken {
		return apiTokenToProto(t, emails[t.UserID])
	})}, err
}

func (s *accountServer) RevokeApiToken(ctx context.Context, req *keyauthv1.RevokeApiTokenRequest) (*keyauthv1.RevokeApiTokenResponse, error) {
	return &keyauthv1.RevokeApiTokenResponse{}, s.domain.Tokens.Revoke(ctx, actorFromProto(ctx, req), req.GetApiTokenId())
}

func (s *accountServer) GetApiTokenIdentity(ctx context.Context, req *keyauthv1.GetApiTokenIdentityRequest) (*keyauthv1.GetApiTokenIdentityResponse, error) {
	id, token, err := s.domain.Tokens.Identity(ctx, req.GetDigest())
	if err != nil {
		return nil, err
	}
	identity := &keyauthv1.Identity{Account: redactedAccountToProto(id.Account), User: userToProto(id.User)}
	return &keyauthv1.GetApiTokenIdentityResponse{Identity: identity, Token: apiTokenToProto(token, id.User.Email)}, nil
}

func apiTokenToProto(t apitoken.Token, email string) *keyauthv1.ApiToken {
	return &keyauthv1.ApiToken{
		Id: t.ID, Prefix: t.Prefix, Name: t.Name, Scopes: t.Scopes, UserId: t.UserID, Email: email,
		CreatedAt: timeToProto(t.CreatedAt), ExpiresAt: timeToProto(t.ExpiresAt), LastUsedAt: timeToProto(t.UsedAt),
	}
}

func (s *accountServer) SignOn(ctx context.Context, req *keyauthv1.SignOnRequest) (*keyauthv1.SignOnResponse, error) {
	in, err := s.domain.SignOn(ctx, account.SignOnRequest{
		ExternalIdentity: account.ExternalIdentity{Issuer: req.GetIssuer(), Subject: req.GetSubject()},
		Email:            req.GetEmail(), EmailVerified: req.GetEmailVerified(), Role: roleFromProto(req.GetRole()),
		Account: req.GetAccount(), Client: req.GetClient(), SessionToken: req.GetSessionToken(),
	})
	return &keyauthv1.SignOnResponse{SignIn: signInToProto(in)}, err
}

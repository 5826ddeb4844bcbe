package dashboard_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// apiToken is a token of the fake keyauth.
type apiToken struct {
	person *person
	digest [32]byte
	token  *keyauthv1.ApiToken
}

func (a *accounts) CreateApiToken(_ context.Context, r *keyauthv1.CreateApiTokenRequest) (*keyauthv1.CreateApiTokenResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.member(r.GetActor(), r.GetActor().GetUserId())
	if err != nil {
		return nil, err
	}
	n := len(a.tokens) + 1
	secret := fmt.Sprintf("sbx_token_%d", n)
	made := &apiToken{p, sha256.Sum256([]byte(secret)), &keyauthv1.ApiToken{
		Id: fmt.Sprintf("tok_%d", n), Name: r.GetName(), Prefix: "sbx_token_", Scopes: r.GetScopes(), UserId: p.identity.GetUser().GetId(),
		Email: p.identity.GetUser().GetEmail(), CreatedAt: timestamppb.New(created), ExpiresAt: r.GetExpiresAt(),
	}}
	a.tokens = append(a.tokens, made)
	return &keyauthv1.CreateApiTokenResponse{Token: made.token, Secret: secret}, nil
}

func (a *accounts) ListApiTokens(_ context.Context, r *keyauthv1.ListApiTokensRequest) (*keyauthv1.ListApiTokensResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	resp := &keyauthv1.ListApiTokensResponse{}
	for _, t := range a.tokens {
		if t.token.GetUserId() == r.GetActor().GetUserId() {
			resp.Tokens = append(resp.Tokens, t.token)
		}
	}
	return resp, nil
}

func (a *accounts) RevokeApiToken(_ context.Context, r *keyauthv1.RevokeApiTokenRequest) (*keyauthv1.RevokeApiTokenResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.tokens, func(t *apiToken) bool {
		return t.token.GetUserId() == r.GetActor().GetUserId() && t.token.GetId() == r.GetApiTokenId()
	})
	if i < 0 {
		return nil, apperr.New(apperr.NotFound, "no such token")
	}
	a.tokens = slices.Delete(a.tokens, i, i+1)
	return &keyauthv1.RevokeApiTokenResponse{}, nil
}

func (a *accounts) GetApiTokenIdentity(_ context.Context, r *keyauthv1.GetApiTokenIdentityRequest) (*keyauthv1.GetApiTokenIdentityResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tokens {
		if string(t.digest[:]) == string(r.GetDigest()) {
			return &keyauthv1.GetApiTokenIdentityResponse{Identity: t.person.identity, Token: t.token}, nil
		}
	}
	return nil, apperr.New(apperr.SessionRequired, "unknown token")
}

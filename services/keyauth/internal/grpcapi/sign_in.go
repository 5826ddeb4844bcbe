package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

func (s *accountServer) Register(ctx context.Context, req *keyauthv1.RegisterRequest) (*keyauthv1.RegisterResponse, error) {
	in, err := s.domain.Register(ctx, signInFromProto(req), req.GetName())
	return &keyauthv1.RegisterResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) CreateInvite(ctx context.Context, req *keyauthv1.CreateInviteRequest) (*keyauthv1.CreateInviteResponse, error) {
	var made account.OneTimeToken
	var err error
	if req.GetNewAccount() {
		made, err = s.domain.InviteAccount(ctx, actorFromProto(ctx, req))
	} else {
		made, err = s.domain.InviteUser(ctx, actorFromProto(ctx, req), roleFromProto(req.GetRole()))
	}
	if err != nil {
		return nil, err
	}
	return &keyauthv1.CreateInviteResponse{Id: made.ID, Token: made.Token, ExpiresAt: timestamppb.New(made.ExpiresAt)}, nil
}

func (s *accountServer) AcceptInvite(ctx context.Context, req *keyauthv1.AcceptInviteRequest) (*keyauthv1.AcceptInviteResponse, error) {
	in, err := s.domain.AcceptInvite(ctx, req.GetToken(), signInFromProto(req), req.GetName())
	return &keyauthv1.AcceptInviteResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) Bootstrap(ctx context.Context, req *keyauthv1.BootstrapRequest) (*keyauthv1.BootstrapResponse, error) {
	b, err := s.domain.Bootstrap(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return &keyauthv1.BootstrapResponse{
		Created: b.Created, ClaimToken: b.ClaimToken, Key: b.Key, Unclaimed: b.ClaimToken != "",
	}, nil
}

func (s *accountServer) Claim(ctx context.Context, req *keyauthv1.ClaimRequest) (*keyauthv1.ClaimResponse, error) {
	in, err := s.domain.Claim(ctx, req.GetToken(), signInFromProto(req))
	return &keyauthv1.ClaimResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) Login(ctx context.Context, req *keyauthv1.LoginRequest) (*keyauthv1.LoginResponse, error) {
	in, err := s.domain.Login(ctx, signInFromProto(req))
	return &keyauthv1.LoginResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) Logout(ctx context.Context, req *keyauthv1.LogoutRequest) (*keyauthv1.LogoutResponse, error) {
	return &keyauthv1.LogoutResponse{}, s.domain.Logout(ctx, req.GetToken())
}

func (s *accountServer) GetSession(ctx context.Context, req *keyauthv1.GetSessionRequest) (*keyauthv1.GetSessionResponse, error) {
	id, err := s.domain.Session(ctx, req.GetToken())
	return &keyauthv1.GetSessionResponse{Identity: identityToProto(id)}, err
}

func (s *accountServer) ListSessions(ctx context.Context, req *keyauthv1.ListSessionsRequest) (*keyauthv1.ListSessionsResponse, error) {
	all, err := s.domain.Sessions(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListSessionsResponse{Sessions: mapSlice(all, sessionToProto)}, err
}

func (s *accountServer) EndSession(ctx context.Context, req *keyauthv1.EndSessionRequest) (*keyauthv1.EndSessionResponse, error) {
	return &keyauthv1.EndSessionResponse{}, s.domain.EndSession(ctx, actorFromProto(ctx, req), req.GetSessionId())
}

package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func (s *accountServer) ChangePassword(ctx context.Context, req *keyauthv1.ChangePasswordRequest) (*keyauthv1.ChangePasswordResponse, error) {
	in, err := s.domain.ChangePassword(ctx, actorFromProto(ctx, req), req.GetSessionId(), req.GetCurrent(), req.GetPassword())
	return &keyauthv1.ChangePasswordResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) ResetPassword(ctx context.Context, req *keyauthv1.ResetPasswordRequest) (*keyauthv1.ResetPasswordResponse, error) {
	made, err := s.domain.ResetPassword(ctx, req.GetEmail())
	return &keyauthv1.ResetPasswordResponse{Token: made.Token, ExpiresAt: timestamppb.New(made.ExpiresAt)}, err
}

func (s *accountServer) SetPassword(ctx context.Context, req *keyauthv1.SetPasswordRequest) (*keyauthv1.SetPasswordResponse, error) {
	in, err := s.domain.SetPassword(ctx, req.GetToken(), req.GetPassword(), req.GetClient())
	return &keyauthv1.SetPasswordResponse{SignIn: signInToProto(in)}, err
}

func (s *accountServer) EndSessions(ctx context.Context, req *keyauthv1.EndSessionsRequest) (*keyauthv1.EndSessionsResponse, error) {
	return &keyauthv1.EndSessionsResponse{}, s.domain.EndSessions(ctx, actorFromProto(ctx, req), req.GetUserId(), req.GetExceptSessionId())
}

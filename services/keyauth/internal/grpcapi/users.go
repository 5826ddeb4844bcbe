package grpcapi

import (
	"context"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

func (s *accountServer) ListUsers(ctx context.Context, req *keyauthv1.ListUsersRequest) (*keyauthv1.ListUsersResponse, error) {
	users, err := s.domain.Users(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListUsersResponse{Users: mapSlice(users, userToProto)}, err
}

func (s *accountServer) UpdateUser(ctx context.Context, req *keyauthv1.UpdateUserRequest) (*keyauthv1.UpdateUserResponse, error) {
	u, err := s.domain.UpdateUser(ctx, actorFromProto(ctx, req), req.GetUserId(), roleFromProto(req.GetRole()))
	return &keyauthv1.UpdateUserResponse{User: userToProto(u)}, err
}

func (s *accountServer) RemoveUser(ctx context.Context, req *keyauthv1.RemoveUserRequest) (*keyauthv1.RemoveUserResponse, error) {
	return &keyauthv1.RemoveUserResponse{}, s.domain.RemoveUser(ctx, actorFromProto(ctx, req), req.GetUserId())
}

func (s *accountServer) ListInvites(ctx context.Context, req *keyauthv1.ListInvitesRequest) (*keyauthv1.ListInvitesResponse, error) {
	all, err := s.domain.Invites(ctx, actorFromProto(ctx, req))
	return &keyauthv1.ListInvitesResponse{Invites: mapSlice(all, inviteToProto)}, err
}

func (s *accountServer) RevokeInvite(ctx context.Context, req *keyauthv1.RevokeInviteRequest) (*keyauthv1.RevokeInviteResponse, error) {
	return &keyauthv1.RevokeInviteResponse{}, s.domain.RevokeInvite(ctx, actorFromProto(ctx, req), req.GetInviteId())
}

func (s *accountServer) GetInstallation(ctx context.Context, _ *keyauthv1.GetInstallationRequest) (*keyauthv1.GetInstallationResponse, error) {
	i, err := s.domain.Installation(ctx)
	return &keyauthv1.GetInstallationResponse{Unclaimed: i.Unclaimed, RegistrationOpen: i.RegistrationOpen, SsoOnly: i.SSOOnly}, err
}

func (s *accountServer) ListAccounts(ctx context.Context, req *keyauthv1.ListAccountsRequest) (*keyauthv1.ListAccountsResponse, error) {
	all, next, err := s.domain.Accounts(ctx, actorFromProto(ctx, req), req.GetAfter(), int(req.GetLimit()))
	return &keyauthv1.ListAccountsResponse{Accounts: mapSlice(all, redactedAccountToProto), Next: next}, err
}

func (s *accountServer) ListAudit(ctx context.Context, req *keyauthv1.ListAuditRequest) (*keyauthv1.ListAuditResponse, error) {
	filter := audit.Filter{Action: req.GetAction(), Email: req.GetEmail(), Subject: req.GetSubject()}
	if req.GetFrom() != nil {
		filter.From = req.GetFrom().AsTime()
	}
	if req.GetTo() != nil {
		filter.To = req.GetTo().AsTime()
	}
	events, next, err := s.domain.Audit(ctx, actorFromProto(ctx, req), filter, req.GetBefore(), int(req.GetLimit()))
	return &keyauthv1.ListAuditResponse{Events: mapSlice(events, eventToProto), Next: next}, err
}

func (s *accountServer) RecordPolicyChange(ctx context.Context, req *keyauthv1.RecordPolicyChangeRequest) (*keyauthv1.RecordPolicyChangeResponse, error) {
	err := s.domain.RecordPolicyChange(ctx, actorFromProto(ctx, req), report.PolicyChange{
		Rollback: req.GetRollback(), Version: req.GetVersion(), Note: req.GetNote(),
	})
	if err != nil {
		return nil, err
	}
	return &keyauthv1.RecordPolicyChangeResponse{}, nil
}

func (s *accountServer) RecordDrain(ctx context.Context, req *keyauthv1.RecordDrainRequest) (*keyauthv1.RecordDrainResponse, error) {
	err := s.domain.RecordDrain(ctx, actorFromProto(ctx, req), report.DrainChange{
		Resumed: req.GetResumed(), Provider: req.GetProvider(), Model: req.GetModel(), Reason: req.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return &keyauthv1.RecordDrainResponse{}, nil
}

func (s *accountServer) RecordAlertChange(ctx context.Context, req *keyauthv1.RecordAlertChangeRequest) (*keyauthv1.RecordAlertChangeResponse, error) {
	err := s.domain.RecordAlertChange(ctx, actorFromProto(ctx, req), report.AlertChange{
		Action: req.GetAction(), Subject: req.GetSubject(), Before: req.GetBefore(), After: req.GetAfter(),
	})
	if err != nil {
		return nil, err
	}
	return &keyauthv1.RecordAlertChangeResponse{}, nil
}

func (s *accountServer) RecordRolloutEvent(ctx context.Context, req *keyauthv1.RecordRolloutEventRequest) (*keyauthv1.RecordRolloutEventResponse, error) {
	err := s.domain.RecordRolloutEvent(ctx, report.RolloutEvent{
		Rollout: req.GetRollout(), Number: req.GetEvent(), Action: req.GetAction(), Version: req.GetVersion(), Share: req.GetShare(),
		Author: req.GetAuthor(), Reason: req.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return &keyauthv1.RecordRolloutEventResponse{}, nil
}

func (s *accountServer) ReportUse(ctx context.Context, req *keyauthv1.ReportUseRequest) (*keyauthv1.ReportUseResponse, error) {
	return &keyauthv1.ReportUseResponse{}, s.domain.ReportUse(ctx, mapSlice(req.GetUses(), useFromProto))
}

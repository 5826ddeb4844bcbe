package apitoken

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// userOfToken returns the user as whom a new token acts.
func userOfToken(ctx context.Context, rows access.UserReader, actor access.Actor, id string) (access.User, error) {
	if id == "" {
		id = actor.UserID
	}
	if id == "" {
		return access.User{}, setting.InvalidParam("user_id", "name the user as whom the token acts")
	}
	u, err := access.FindUser(ctx, rows, access.Actor{AccountID: actor.AccountID, UserID: id})
	if err == nil && actor.UserID != "" && actor.UserID != u.ID {
		return access.User{}, apperr.New(apperr.AuthForbidden, "users create tokens only for themselves")
	}
	return u, err
}

func checkLimit(ctx context.Context, tx Writer, u access.User) error {
	if err := tx.EndStaleAPITokens(ctx, u.AccountID, access.Now()); err != nil {
		return err
	}
	open, err := tx.APITokens(ctx, u.AccountID, u.ID, access.Now())
	if err != nil {
		return err
	}
	if len(open) >= maxTokens {
		return apperr.New(apperr.InvalidRequest, "the user has reached the limit of 50 API tokens; revoke one that is not needed").
			With("limit", maxTokens)
	}
	return nil
}

// visibleUser returns the user whose tokens the actor may see; empty means all users.
func visibleUser(ctx context.Context, rows access.UserReader, actor access.Actor) (string, error) {
	if actor.UserID == "" {
		return "", nil
	}
	u, err := access.FindUser(ctx, rows, actor)
	if err != nil || u.Role == access.Owner {
		return "", err
	}
	return u.ID, nil
}

func revoke(ctx context.Context, tx auditedWriter, actor access.Actor, t Token) error {
	u, err := tx.User(ctx, t.AccountID, t.UserID)
	if err != nil {
		return err
	}
	if err := tx.EndAPIToken(ctx, t.AccountID, t.ID); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "token.revoke", t.ID, t.auditFields(u), nil)
}

// RevokeAll revokes all tokens of a user who loses a role, leaves, or may have
// lost control of the account.
func RevokeAll(ctx context.Context, tx auditedWriter, actor access.Actor, u access.User) error {
	all, err := tx.APITokens(ctx, u.AccountID, u.ID, access.Now())
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := revoke(ctx, tx, actor, t); err != nil {
			return err
		}
	}
	return nil
}

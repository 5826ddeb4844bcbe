package account

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// The limits of a policy change in the audit log. They are those of the router.
const (
	maxVersionLength = 64
	maxNoteLength    = 1000
)

// PolicyChange is a change of the active policy.
type PolicyChange struct {
	// Rollback means that an older version was activated again.
	Rollback bool
	// Version is the version that is active now.
	Version string
	Note    string
}

// RecordPolicyChange adds a policy change to the audit log of the operator's account. The
// router stores the policy, so the event is not in the transaction of the change. Errors:
// AUTH_FORBIDDEN if the account is not the operator's, INVALID_REQUEST.
func (s *Service) RecordPolicyChange(ctx context.Context, actor Actor, c PolicyChange) error {
	if !setting.IsText(c.Version, 1, maxVersionLength) {
		return setting.InvalidParam("version", "a policy version must have 1 to 64 printable characters")
	}
	if len(c.Note) > maxNoteLength {
		return setting.InvalidParam("note", "the note must have at most 1000 bytes")
	}
	action := "policy.publish"
	if c.Rollback {
		action = "policy.rollback"
	}
	return s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		if !a.Operator {
			return apperr.New(apperr.AuthForbidden, "only the operator's account can change the policy")
		}
		return recordEvent(ctx, tx, actor, action, c.Version, nil, audit.Fields{"version": c.Version, "note": c.Note})
	})
}

package account

import (
	"context"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxDrainNameLength limits the names of providers and models in the audit log.
const maxDrainNameLength = 200

// DrainChange is the drain or the resumption of a provider or a model.
type DrainChange struct {
	// Resumed means that a drain has ended.
	Resumed bool
	// An empty Provider means every provider of the model, an empty Model every model of
	// the provider.
	Provider, Model string
	Reason          string
}

// RecordDrain adds a drain or a resumption to the audit log of the operator's account. The
// router stores the drain, so the event is not in the transaction of the change. Errors:
// AUTH_FORBIDDEN if the account is not the operator's, INVALID_REQUEST.
func (s *Service) RecordDrain(ctx context.Context, actor Actor, c DrainChange) error {
	switch {
	case c.Provider == "" && c.Model == "":
		return setting.InvalidParam("provider", "name a provider, a model, or both")
	case !setting.IsText(c.Provider, 0, maxDrainNameLength) || !setting.IsText(c.Model, 0, maxDrainNameLength):
		return setting.InvalidParam("provider", "names must have at most 200 printable characters")
	case len(c.Reason) > maxNoteLength:
		return setting.InvalidParam("reason", "the reason must have at most 1000 bytes")
	}
	action := "provider.drain"
	if c.Resumed {
		action = "provider.resume"
	}
	subject := strings.Trim(c.Model+"@"+c.Provider, "@")
	return s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		if !a.Operator {
			return apperr.New(apperr.AuthForbidden, "only the operator's account can drain providers")
		}
		return recordEvent(ctx, tx, actor, action, subject, nil, audit.Fields{"provider": c.Provider, "model": c.Model, "reason": c.Reason})
	})
}

package keyring

import (
	"cmp"
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// maxChangePage bounds how many changes one read returns.
const maxChangePage = 500

// Credential is a key with its account, as of a version of the change log.
type Credential struct {
	Key     Key
	Account access.Account
	Version int64
}

// Principal is the result of verifying a key. It holds the settings of the key. Where
// the key has no baseline model or capture mode, it holds those of the account.
type Principal struct {
	AccountID string
	KeyID     string
	State     State
	Settings  setting.Key
	// AccountLimits are the limits of the whole account.
	AccountLimits setting.Limits
	// AllowExperiments lets experiments compare models on requests of the account.
	AllowExperiments bool
	// Budgets are the group budgets that can apply to requests with the key.
	Budgets []setting.Budget
	// Version is the version of the change log at which the principal was read.
	Version int64
}

// Change is one entry of the change log.
type Change struct {
	Version   int64
	AccountID string
	// KeyID is empty if the change affects all keys of the account.
	KeyID string
	// Principal is the current state of the key. If it is nil, the watcher must discard
	// what it has cached for the key or the account.
	Principal *Principal
}

// ChangeReader reads the change log, which lists changed accounts and keys. Its
// versions become visible in order and without gaps.
type ChangeReader interface {
	// Head returns the latest version of the change log; it is never 0.
	Head(ctx context.Context) (int64, error)
	// Changes lists the changes after a version, in order.
	Changes(ctx context.Context, after int64, limit int) ([]Change, error)
}

// checkNoGap returns an error if the version of the first change is not after+1.
func checkNoGap(changes []Change, after int64) error {
	if len(changes) > 0 && changes[0].Version != after+1 {
		return setting.InvalidParam("since_version", "the change log no longer has the changes after this version; start at 0")
	}
	return nil
}

func (c Credential) toPrincipal() Principal {
	p := Principal{
		AccountID: c.Account.ID, KeyID: c.Key.ID, State: c.Key.State(access.Now()),
		Settings: c.Key.Settings, AccountLimits: c.Account.Limits,
		AllowExperiments: c.Account.AllowExperiments, Version: c.Version,
	}
	p.Settings.BaselineModel = cmp.Or(p.Settings.BaselineModel, c.Account.BaselineModel)
	p.Settings.Capture = cmp.Or(p.Settings.Capture, c.Account.Capture)
	return p
}

func unavailableError(cause error) error {
	return apperr.New(apperr.AuthUnavailable, "keys cannot be verified right now; try again later").WithCause(cause)
}

func invalidKeyError(reason string) error {
	return apperr.New(apperr.AuthInvalidKey, "the API key is not valid").With("reason", reason)
}

// Budget returns the budget of the key, or of the account if there is no key.
func (c Credential) Budget() spend.Budget {
	l := c.Account.Limits
	if c.Key.ID != "" {
		l = c.Key.Settings.Limits
	}
	return spend.Budget{NanoUSDPerDay: l.NanoUSDPerDay, NanoUSDPerMonth: l.NanoUSDPerMonth}
}

package report

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// maxUseEntries limits the entries of one report.
	maxUseEntries = 1000
	// useSkew is how far ahead the clock of a reporter may be.
	useSkew = time.Minute
)

// Use is the last use of a key.
type Use struct {
	AccountID string
	KeyID     string
	At        time.Time
	Address   string
}

// UseWriter stores the last use of keys.
type UseWriter interface {
	// SaveUses stores the last use of each key. uses holds at most one entry per key.
	// SaveUses ignores an entry if its key belongs to another account, or if a later
	// use is stored. It does not append to the change log. It waits for other writers
	// only if the database requires this.
	SaveUses(ctx context.Context, uses []Use) error
}

// LastUses returns the last use of each key in a report of at most 1000 entries. It leaves out
// incomplete entries. An invalid address becomes empty. Error: INVALID_REQUEST if the report is
// too long.
func LastUses(uses []Use, now time.Time) ([]Use, error) {
	if len(uses) > maxUseEntries {
		return nil, setting.InvalidParam("uses", "a report must have at most 1000 entries").With("limit", maxUseEntries)
	}
	last, latest := map[string]Use{}, now.Add(useSkew)
	for _, u := range uses {
		if uuid.Validate(u.AccountID) != nil || uuid.Validate(u.KeyID) != nil || u.At.IsZero() {
			continue
		}
		// A time in the future would hide later uses, because only a newer use replaces it.
		if u.At.After(latest) {
			u.At = latest
		}
		u.Address = setting.NormalizeAddress(u.Address)
		if before, ok := last[u.KeyID]; !ok || u.At.After(before.At) {
			last[u.KeyID] = u
		}
	}
	return slices.Collect(maps.Values(last)), nil
}

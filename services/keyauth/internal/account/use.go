package account

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"
)

const (
	// maxUses bounds one report.
	maxUses = 1000
	// useSkew is how far ahead the clock of whoever reports may be.
	useSkew = time.Minute
)

// Use is a key's last use.
type Use struct {
	AccountID string
	KeyID     string
	At        time.Time
	Address   string
}

// ReportUse notes last uses, at most 1000. One of a key that is not the
// account's, or older than the one known, changes nothing; nor does one that
// says too little, which must not hold up the others. What is not an address
// is left out.
func (s *Service) ReportUse(ctx context.Context, uses []Use) error {
	if len(uses) > maxUses {
		return invalid("uses", "a report has at most 1000 uses").With("limit", maxUses)
	}
	last, latest := map[string]Use{}, now().Add(useSkew)
	for _, u := range uses {
		if !isID(u.AccountID) || !isID(u.KeyID) || u.At.IsZero() {
			continue
		}
		// A time that is yet to come would hide all uses until then.
		if u.At.After(latest) {
			u.At = latest
		}
		u.Address = plainAddress(u.Address)
		if before, ok := last[u.KeyID]; !ok || u.At.After(before.At) {
			last[u.KeyID] = u
		}
	}
	if len(last) == 0 {
		return nil
	}
	return storeError(s.store.NoteUses(ctx, slices.Collect(maps.Values(last))))
}

// plainAddress is an address as it is always written, or nothing. A zone goes:
// it may be any text.
func plainAddress(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}

package account

import (
	"context"
	"math"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const (
	defaultEventPage = 50
	maxEventPage     = 200
)

// Audit lists the events of a filter, newest first. If before is positive, Audit lists only events with
// a lower version than before. A limit of 0 means 50, and the maximum is 200. The second
// result is the value of before for the next page; 0 means that no events are left.
// Requires the owner role.
func (s *Service) Audit(ctx context.Context, actor access.Actor, f audit.Filter, before int64, limit int) ([]audit.Event, int64, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Owner)
	if err != nil {
		return nil, 0, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	limit = clampPageSize(limit, defaultEventPage, maxEventPage)
	events, err := s.store.Events(ctx, a.ID, f, before, limit+1)
	if err != nil {
		return nil, 0, access.WrapStore(err)
	}
	if len(events) <= limit {
		return events, 0, nil
	}
	return events[:limit], events[limit-1].Version, nil
}

func clampPageSize(requested, standard, most int) int {
	if requested <= 0 {
		return standard
	}
	return min(requested, most)
}

func (i Invite) auditFields() audit.Fields {
	return audit.Fields{"role": i.Role, "new_account": i.NewAccount, "expires_at": i.ExpiresAt}
}

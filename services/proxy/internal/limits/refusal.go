package limits

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// placeWait is how soon to try again for a place: nobody knows when a
	// request ends.
	placeWait = 500 * time.Millisecond
	// rateWait is the least: units may be on their way back from other proxies.
	rateWait = 100 * time.Millisecond
)

// refusal names the first limit that has not enough.
func (d *demand) refusal(at time.Time, now int64, m mode) error {
	for _, r := range d.rates {
		if r != nil && !r.fits(d.units, now, m) {
			return r.refusal(d.units, at, now, m)
		}
	}
	for _, p := range d.pools {
		if p == nil || p.room(m) >= d.amount {
			continue
		}
		if p.money() {
			return p.broke(d.amount, at, m)
		}
		return p.full(at, m)
	}
	return nil
}

func (r *rate) refusal(n int64, at time.Time, now int64, m mode) error {
	left, reset := r.left(now, m)
	what := "requests"
	if r.Name == TokensPerMinute {
		what = "tokens"
	}
	limit := fmt.Sprintf("the %s's limit of %d %s per minute", r.Scope, r.limit, what)
	if n > r.limit {
		return limited(apperr.RateLimitExceeded, fmt.Sprintf("this request is estimated at %d tokens, and %s never allows so many at once; shorten it or ask for fewer output tokens", n, limit), r.Subject, r.limit, left, at.Add(reset)).Final()
	}
	wait := max(rateWait, r.wait(n, now, m))
	text := limit + " is reached"
	if r.Name == TokensPerMinute {
		text += fmt.Sprintf(": %d are left and this request is estimated at %d", left, n)
	}
	text += "; try again in " + seconds(wait)
	return limited(apperr.RateLimitExceeded, text, r.Subject, r.limit, left, at.Add(reset)).After(wait)
}

// full refuses a place.
func (p *pool) full(at time.Time, m mode) error {
	text := fmt.Sprintf("the %s's limit of %d concurrent requests is reached; try again when one of them has ended", p.Scope, p.limit)
	return limited(apperr.ConcurrencyLimitExceeded, text, p.Subject, p.limit, p.left(m), at.Add(placeWait)).After(placeWait)
}

// broke refuses money.
func (p *pool) broke(n int64, at time.Time, m mode) error {
	every := "day"
	if p.Name == NanoUSDPerMonth {
		every = "month"
	}
	spent, left := p.spending(), p.left(m)
	text := fmt.Sprintf("the %s's budget of %s a %s does not cover this request: %s are spent, %s are free for it and it is estimated at %s; the budget resets at %s",
		p.Scope, dollars(p.limit), every, dollars(spent), dollars(left), dollars(n), p.ends.UTC().Format(time.RFC3339))
	if spent >= p.limit {
		text = fmt.Sprintf("the %s's budget of %s a %s is used up: %s are spent; it resets at %s",
			p.Scope, dollars(p.limit), every, dollars(spent), p.ends.UTC().Format(time.RFC3339))
	}
	e := limited(apperr.BudgetExceeded, text, p.Subject, p.limit, left, p.ends)
	e.Details["limit"].(map[string]any)["spent"] = spent //nolint:forcetypeassert // made by limited
	return e.After(max(0, p.ends.Sub(at)))
}

func limited(code apperr.Code, text string, s Subject, limit, left int64, reset time.Time) *apperr.Error {
	return apperr.New(code, text).With("limit", map[string]any{
		"scope": s.Scope, "name": s.Name, "limit": limit, "remaining": max(0, left),
		"reset_at": reset.UTC().Format(time.RFC3339),
	})
}

// seconds is a wait in words that clients are known to read.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(10*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

// dollars shows nano-USD exactly, with two decimals at least.
func dollars(nano int64) string {
	whole, part := nano/1e9, fmt.Sprintf("%09d", nano%1e9)
	for len(part) > 2 && strings.HasSuffix(part, "0") {
		part = part[:len(part)-1]
	}
	return fmt.Sprintf("$%d.%s", whole, part)
}

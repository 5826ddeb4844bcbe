package limits

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// slotRetryDelay is the suggested retry delay if no slot is free. It is fixed,
	// because the end of a running request cannot be predicted.
	slotRetryDelay = 500 * time.Millisecond
	// minRateRetryDelay is the shortest suggested retry delay for a rate limit.
	minRateRetryDelay = 100 * time.Millisecond
)

// exceededLimitError returns the error for the first exceeded limit. The dashboard
// recognizes the limit by the words "the key's limit of" or "the account's budget
// of" in the text (services/dashboard/internal/record), so keep that wording.
func (d *demand) exceededLimitError(at time.Time, now int64, m mode) error {
	for _, r := range d.rates {
		if r != nil && !r.canTake(d.units, now, m) {
			return r.exceededError(d.units, at, now, m)
		}
	}
	for _, p := range d.pools {
		if p == nil || p.available(m) >= d.amount {
			continue
		}
		if p.isBudget() {
			return p.budgetExceededError(d.amount, at, m)
		}
		return p.slotsExceededError(at, m)
	}
	return nil
}

func (r *rate) exceededError(n int64, at time.Time, now int64, m mode) error {
	left, reset := r.remaining(now, m)
	unit := "request"
	if r.Name == TokensPerMinute {
		unit = "token"
	}
	limit := fmt.Sprintf("the %s's limit of %s per minute", r.Scope, FormatCount(r.limit, unit))
	if n > r.limit {
		return newLimitError(apperr.RateLimitExceeded, fmt.Sprintf("this request is estimated at %d tokens, more than %s allows at once; shorten the request or ask for fewer output tokens", n, limit), r.CounterID, r.limit, left, at.Add(reset)).WithoutRetry()
	}
	wait := max(minRateRetryDelay, r.waitFor(n, now, m))
	text := limit + " is reached"
	if r.Name == TokensPerMinute {
		text += fmt.Sprintf(": %d are left and this request is estimated at %d", left, n)
	}
	text += "; try again in " + formatSeconds(wait)
	return newLimitError(apperr.RateLimitExceeded, text, r.CounterID, r.limit, left, at.Add(reset)).WithRetryAfter(wait)
}

// slotsExceededError is the error for a request when all slots are in use.
func (p *pool) slotsExceededError(at time.Time, m mode) error {
	text := fmt.Sprintf("the %s's limit of %s is reached; try again when a request has finished", p.Scope, FormatCount(p.limit, "concurrent request"))
	return newLimitError(apperr.ConcurrencyLimitExceeded, text, p.CounterID, p.limit, p.remaining(m), at.Add(slotRetryDelay)).WithRetryAfter(slotRetryDelay)
}

// budgetExceededError is the error for a request that the budget does not cover.
func (p *pool) budgetExceededError(n int64, at time.Time, m mode) error {
	spent, left := p.totalSpent(), p.remaining(m)
	text := fmt.Sprintf("%s does not cover this request: %s is spent, %s is available, and the request is estimated at %s; %s",
		p.describe(), formatUSD(spent), formatUSD(left), formatUSD(n), p.describeReset())
	if spent >= p.limit {
		text = fmt.Sprintf("%s is used up: %s is spent; %s", p.describe(), formatUSD(spent), p.describeReset())
	}
	e := newLimitError(apperr.BudgetExceeded, text, p.CounterID, p.limit, left, p.resetsAt)
	limit := e.Details["limit"].(map[string]any) //nolint:forcetypeassert // set by newLimitError
	limit["spent"] = spent
	if p.budgetName != "" {
		e = e.With("budget", p.budgetName).With("window", p.windowName())
	}
	if p.resetsAt.IsZero() {
		delete(limit, "reset_at")
		return e
	}
	return e.WithRetryAfter(max(0, p.resetsAt.Sub(at)))
}

// describe names the budget, such as "the key's budget of $5.00 a day".
func (p *pool) describe() string {
	owner := "the " + p.Scope + "'s budget"
	if p.budgetName != "" {
		owner = fmt.Sprintf("the budget %q", p.budgetName)
	}
	if p.resetsAt.IsZero() {
		return fmt.Sprintf("%s of %s in total", owner, formatUSD(p.limit))
	}
	every := "a "
	if p.windowName() == windowNames[hourWindow] {
		every = "an "
	}
	return fmt.Sprintf("%s of %s %s%s", owner, formatUSD(p.limit), every, p.windowName())
}

func (p *pool) describeReset() string {
	if p.resetsAt.IsZero() {
		return "the budget does not reset; raise it to continue"
	}
	return "the budget resets at " + p.resetsAt.UTC().Format(time.RFC3339)
}

func (p *pool) windowName() string {
	w, _ := windowOf(p.period)
	return windowNames[w]
}

func newLimitError(code apperr.Code, text string, id CounterID, limit, left int64, reset time.Time) *apperr.Error {
	return apperr.New(code, text).With("limit", map[string]any{
		"scope": id.Scope, "name": id.Name, "limit": limit, "remaining": max(0, left),
		"reset_at": reset.UTC().Format(time.RFC3339),
	})
}

// FormatCount formats a number with its unit, such as "1 request" or "2 requests".
func FormatCount(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// formatSeconds formats a delay in the form that client libraries can parse.
func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(10*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

// formatUSD formats nano-USD exactly, with at least two decimals.
func formatUSD(nano int64) string {
	whole, part := nano/1e9, fmt.Sprintf("%09d", nano%1e9)
	for len(part) > 2 && strings.HasSuffix(part, "0") {
		part = part[:len(part)-1]
	}
	return fmt.Sprintf("$%d.%s", whole, part)
}

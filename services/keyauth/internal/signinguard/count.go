package signinguard

import (
	"golang.org/x/time/rate"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// CountNewAccount counts an attempt to create an account. Error: TOO_MANY_ATTEMPTS.
func (t *Throttle) CountNewAccount(address string) error {
	from := t.newAccounts
	if address == thisMachine {
		from = t.localAccounts
	}
	return t.count(from, address, "too many new accounts from this address")
}

// CountLinkCheck counts a check of a link. It does not count as a wrong guess, because any
// website can make a browser open a link. Error: TOO_MANY_ATTEMPTS.
func (t *Throttle) CountLinkCheck(address string) error {
	return t.count(t.links, address, "too many checks of links from this address")
}

// count counts an attempt that is not taken back. An empty address has no limit.
func (t *Throttle) count(from limiterSet, address, message string) error {
	if address == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, wait := takeFromAll([]*rate.Limiter{from.limiterFor(address)}); wait > 0 {
		return apperr.New(apperr.TooManyAttempts, message).WithRetryAfter(wait)
	}
	return nil
}

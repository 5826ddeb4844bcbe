package account

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/signalbox/signalbox/pkg/apperr"
)

var (
	// pairRate limits guesses for one e-mail from one address.
	pairRate = attemptRate{5, 30 * time.Second}
	// emailRate limits guesses for one e-mail from all addresses. emailRate and
	// addressRate do not apply if the user has signed in from the same address before.
	// Otherwise an attacker with many addresses, or with the user's address, could lock
	// the user out.
	emailRate = attemptRate{30, 30 * time.Second}
	// addressRate limits guesses from one address for many e-mails and tokens.
	addressRate = attemptRate{20, 3 * time.Second}
	// newAccountRate limits new accounts from one address.
	newAccountRate = attemptRate{20, time.Minute}
	// localAccountRate limits new accounts from this machine. It is high, because local scripts may create many accounts.
	localAccountRate = attemptRate{100, time.Second}
)

// throttle slows down guessing, by e-mail and by IP address. For sign-ins and tokens,
// only wrong guesses count. For new accounts, every attempt counts.
type throttle struct {
	mu                                    sync.Mutex
	pairs, emails, addresses, newAccounts limiterSet
	localAccounts                         limiterSet
	// known holds pairs of e-mail and address that have signed in.
	known map[string]bool
}

func newThrottle() *throttle {
	return &throttle{
		pairs: newLimiterSet(pairRate), emails: newLimiterSet(emailRate), addresses: newLimiterSet(addressRate),
		newAccounts: newLimiterSet(newAccountRate), localAccounts: newLimiterSet(localAccountRate), known: map[string]bool{},
	}
}

// runGuess runs f, which checks a password or a token. f passes r to the hash queue.
// runGuess counts the attempt before it runs f, so that concurrent attempts cannot
// exceed the limit. Unless f returns an error for a wrong guess, runGuess takes the
// count back. An empty email or address has no limit of its own. Errors:
// TOO_MANY_ATTEMPTS, and the errors of f.
func (t *throttle) runGuess(email, address string, f func(r requester) error) error {
	r, taken, wait := t.takeTokens(email, address)
	if wait > 0 {
		return apperr.New(apperr.TooManyAttempts, "too many failed attempts; wait and try again").WithRetryAfter(wait)
	}
	err := f(r)
	if err == nil {
		t.recordSuccess(email, address, taken)
	} else if !isWrongGuess(err) {
		t.refund(taken)
	}
	return err
}

// isWrongGuess reports whether the error means a wrong guess. EMAIL_TAKEN counts,
// because it reveals an e-mail address. The parameter "current" is the current
// password of a user who changes it. Other errors do not count, such as a failure of
// the store.
func isWrongGuess(err error) bool {
	switch apperr.CodeOf(err) {
	case apperr.LoginFailed, apperr.TokenInvalid, apperr.EmailTaken:
		return true
	case apperr.InvalidRequest:
		return apperr.From(err).Details["param"] == "current"
	}
	return false
}

func (t *throttle) takeTokens(email, address string) (r requester, taken []*rate.Limiter, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*rate.Limiter
	r = requester{name: address}
	if email != "" {
		all = append(all, t.pairs.limiterFor(pairKey(email, address)))
	}
	if t.known[pairKey(email, address)] {
		r = requester{name: pairKey(email, address), known: true}
	} else {
		if email != "" {
			all = append(all, t.emails.limiterFor(email))
		}
		if address != "" {
			all = append(all, t.addresses.limiterFor(address))
		}
	}
	taken, wait = takeFromAll(all)
	return r, taken, wait
}

// countNewAccount counts an attempt to create an account. Error: TOO_MANY_ATTEMPTS.
func (t *throttle) countNewAccount(address string) error {
	if address == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.newAccounts
	if address == thisMachine {
		from = t.localAccounts
	}
	if _, wait := takeFromAll([]*rate.Limiter{from.limiterFor(address)}); wait > 0 {
		return apperr.New(apperr.TooManyAttempts, "too many new accounts from this address").WithRetryAfter(wait)
	}
	return nil
}

func (t *throttle) refund(taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	refund(taken)
}

func (t *throttle) recordSuccess(email, address string, taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	refund(taken)
	if email != "" {
		delete(t.pairs.byName, pairKey(email, address))
		t.rememberLocked(email, address)
	}
}

// rememberPair marks an e-mail and address as known. It is for sign-ins without a password check.
func (t *throttle) rememberPair(email, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rememberLocked(email, address)
}

func (t *throttle) rememberLocked(email, address string) {
	if address == "" {
		return
	}
	if len(t.known) >= maxThrottled {
		evictTenth(t.known)
	}
	t.known[pairKey(email, address)] = true
}

// thisMachine replaces all loopback addresses.
const thisMachine = "127.0.0.1"

func pairKey(email, address string) string { return email + " " + address }

// clientAddress returns the IP address at the end of a client description. For IPv6
// it returns the /64 network, because one customer usually has a whole /64 network.
// For every loopback address it returns thisMachine.
func clientAddress(client string) string {
	words := strings.Fields(client)
	if len(words) == 0 {
		return ""
	}
	ip, err := netip.ParseAddr(words[len(words)-1])
	if err != nil {
		return ""
	}
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() {
		return thisMachine
	}
	if ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().String()
	}
	return ip.String()
}

// Package signinguard protects sign-ins. Throttle slows down guessing of passwords
// and tokens by e-mail and by IP address, without locking out a user who signed in
// from the same address before. Hasher hashes passwords with argon2id; it limits
// memory with a queue in which one requester cannot take all slots. Both forget
// everything when the process ends. The account package uses them.
package signinguard

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
	// linkRate limits checks of links from one address. Tokens are too long to guess, so
	// linkRate only limits the load.
	linkRate = attemptRate{60, time.Second}
	// newAccountRate limits new accounts from one address.
	newAccountRate = attemptRate{20, time.Minute}
	// localAccountRate limits new accounts from this machine. It is high, because local scripts may create many accounts.
	localAccountRate = attemptRate{100, time.Second}
)

// Throttle slows down guessing, by e-mail and by IP address. For sign-ins and tokens,
// only wrong guesses count. For checks of links and new accounts, every attempt counts.
type Throttle struct {
	mu                                    sync.Mutex
	pairs, emails, addresses, newAccounts limiterSet
	localAccounts, links                  limiterSet
	// known holds pairs of e-mail and address that have signed in.
	known map[string]bool
}

// NewThrottle returns a Throttle that has seen no attempts.
func NewThrottle() *Throttle {
	return &Throttle{
		pairs: newLimiterSet(pairRate), emails: newLimiterSet(emailRate), addresses: newLimiterSet(addressRate),
		newAccounts: newLimiterSet(newAccountRate), localAccounts: newLimiterSet(localAccountRate), links: newLimiterSet(linkRate), known: map[string]bool{},
	}
}

// RunGuess runs f, which checks a password or a token. f passes r to the hash queue.
// RunGuess counts the attempt before it runs f, so that concurrent attempts cannot
// exceed the limit. Unless f returns an error for a wrong guess, RunGuess takes the
// count back. An empty email or address has no limit of its own. Errors:
// TOO_MANY_ATTEMPTS, and the errors of f.
func (t *Throttle) RunGuess(email, address string, f func(r Requester) error) error {
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

func (t *Throttle) takeTokens(email, address string) (r Requester, taken []*rate.Limiter, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*rate.Limiter
	r = Requester{Name: address}
	if email != "" {
		all = append(all, t.pairs.limiterFor(pairKey(email, address)))
	}
	if t.known[pairKey(email, address)] {
		r = Requester{Name: pairKey(email, address), Known: true}
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

func (t *Throttle) refund(taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	refund(taken)
}

func (t *Throttle) recordSuccess(email, address string, taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	refund(taken)
	if email != "" {
		delete(t.pairs.byName, pairKey(email, address))
		t.rememberLocked(email, address)
	}
}

// RememberPair marks an e-mail and address as known. It is for sign-ins without a password check.
func (t *Throttle) RememberPair(email, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rememberLocked(email, address)
}

func (t *Throttle) rememberLocked(email, address string) {
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

// ClientAddress returns the IP address at the end of a client description. For IPv6
// it returns the /64 network, because one customer usually has a whole /64 network.
// For every loopback address it returns thisMachine.
func ClientAddress(client string) string {
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

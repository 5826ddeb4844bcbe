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
	// pairPace is for guesses at one e-mail from one address.
	pairPace = pace{5, 30 * time.Second}
	// emailPace is for those at one e-mail from everywhere. It is wider. Neither
	// it nor addressPace binds an address from which the e-mail has signed in:
	// or whoever guesses from many addresses, or shares the owner's, could keep
	// the owner out for good.
	emailPace = pace{30, 30 * time.Second}
	// addressPace is for those from one address at many e-mails and tokens.
	addressPace = pace{20, 3 * time.Second}
	// makePace is for new accounts made from one address.
	makePace = pace{20, time.Minute}
	// localPace is for those made from this machine, where scripts make many.
	localPace = pace{100, time.Second}
)

// throttle slows guessing down, by e-mail and by address. What succeeds costs
// nothing.
type throttle struct {
	mu                              sync.Mutex
	pairs, emails, addresses, makes buckets
	local                           buckets
	// known are pairs that have signed in.
	known map[string]bool
}

func newThrottle() *throttle {
	return &throttle{
		pairs: newBuckets(pairPace), emails: newBuckets(emailPace), addresses: newBuckets(addressPace),
		makes: newBuckets(makePace), local: newBuckets(localPace), known: map[string]bool{},
	}
}

// guess runs f, whose failure is a guess that missed, with the lane in which
// its hashes wait. The attempt is counted before it is made, so that many at
// the same time do not slip through. Without an e-mail or without an address
// that one is not counted. Error: TOO_MANY_ATTEMPTS, and those of f.
func (t *throttle) guess(email, address string, f func(l lane) error) error {
	l, taken, wait := t.take(email, address)
	if wait > 0 {
		return apperr.New(apperr.TooManyAttempts, "too many failed attempts; wait a little").After(wait)
	}
	err := f(l)
	if err == nil {
		t.succeed(email, address, taken)
	} else if !isMiss(err) {
		t.giveBack(taken)
	}
	return err
}

// isMiss tells a wrong guess from a failure of ours, and from an attempt that
// was refused before anything was compared.
func isMiss(err error) bool {
	switch apperr.CodeOf(err) {
	case apperr.LoginFailed, apperr.TokenInvalid, apperr.EmailTaken:
		return true
	case apperr.InvalidRequest:
		return apperr.From(err).Details["param"] == "current"
	}
	return false
}

func (t *throttle) take(email, address string) (l lane, taken []*rate.Limiter, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*rate.Limiter
	l = lane{name: address}
	if email != "" {
		all = append(all, t.pairs.of(pair(email, address)))
	}
	if t.known[pair(email, address)] {
		l = lane{name: pair(email, address), known: true}
	} else {
		if email != "" {
			all = append(all, t.emails.of(email))
		}
		if address != "" {
			all = append(all, t.addresses.of(address))
		}
	}
	taken, wait = takeAll(all)
	return l, taken, wait
}

// newAccount counts what would make one.
func (t *throttle) newAccount(address string) error {
	if address == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.makes
	if address == thisMachine {
		from = t.local
	}
	if _, wait := takeAll([]*rate.Limiter{from.of(address)}); wait > 0 {
		return apperr.New(apperr.TooManyAttempts, "too many new accounts from this address").After(wait)
	}
	return nil
}

func (t *throttle) giveBack(taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	giveBack(taken)
}

func (t *throttle) succeed(email, address string, taken []*rate.Limiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	giveBack(taken)
	if email != "" {
		delete(t.pairs.by, pair(email, address))
		t.remember(email, address)
	}
}

// know is told of those who came in without a guess.
func (t *throttle) know(email, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remember(email, address)
}

func (t *throttle) remember(email, address string) {
	if address == "" {
		return
	}
	if len(t.known) >= maxThrottled {
		dropSome(t.known)
	}
	t.known[pair(email, address)] = true
}

// thisMachine stands for all of its own addresses.
const thisMachine = "127.0.0.1"

func pair(email, address string) string { return email + " " + address }

// addressOf is the address in a client's text, of which it is the last word.
// Of an IPv6 address it is the network, for its holder has all of that; so has
// whoever is on this machine all of its own.
func addressOf(client string) string {
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

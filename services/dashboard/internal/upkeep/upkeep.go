// Package upkeep keeps the ledger in shape while others use it: it makes room
// for the days to come, and removes what has been kept for long enough. It
// decides how long that is, by the installation's settings and those of each
// account; the store removes. The dashboard runs one, and several instances
// may run side by side.
package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// Ledger is what is kept in shape.
type Ledger interface {
	MakePartitions(ctx context.Context, days int) error
	TrimFeed(ctx context.Context, now time.Time) error
	DropRequests(ctx context.Context, before time.Time) error
	DropContent(ctx context.Context, before time.Time) error
	DropContentOf(ctx context.Context, account string, before time.Time) error
	ContentAccounts(ctx context.Context) ([]string, error)
	// DropLetterContent removes content from dead letters, of which nobody can
	// tell whose they are.
	DropLetterContent(ctx context.Context, before time.Time) error
	// Replay tries dead letters again that were parked for this version, or all.
	Replay(ctx context.Context, all bool) (done, left int, err error)
}

// Accounts knows for how long an account's content is kept: keyauth.
type Accounts interface {
	GetAccount(ctx context.Context, in *keyauthv1.GetAccountRequest, opts ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error)
}

// Upkeep is the job. All of it is needed, but that 0 days are for ever.
type Upkeep struct {
	Ledger   Ledger
	Accounts Accounts
	// Days is for how long requests are kept.
	Days int
	// ContentDays is for how long content is kept where the account does not
	// say; never longer than the requests.
	ContentDays int
	Log         *slog.Logger
	// Now is the clock.
	Now func() time.Time
}

const (
	// every is how often: also what could not be done is tried again by then.
	every = 10 * time.Minute
	// ahead is how many days have their partitions made. An instance that is
	// down for less finds them there.
	ahead = 8
	// limit bounds one round, and so a shutdown.
	limit = 5 * time.Minute
	// callLimit bounds one question to keyauth.
	callLimit = 5 * time.Second
)

// Run does a round at once and then again and again until ctx ends.
func (u *Upkeep) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for replayed := false; ; {
		if !replayed {
			replayed = u.replay(ctx)
		}
		if err := u.round(ctx); err != nil && ctx.Err() == nil {
			u.Log.Warn("not all upkeep of the ledger could be done; it is tried again", "error", err, "again_in", every)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// replay takes in what an older version of this program could not read, once:
// this one will not learn more while it runs.
func (u *Upkeep) replay(ctx context.Context) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done, left, err := u.Ledger.Replay(ctx, false)
	if err != nil && ctx.Err() == nil {
		u.Log.Warn("parked records cannot be tried again now", "error", err)
	}
	if done+left > 0 {
		u.Log.Info("parked records were tried again", "stored", done, "left", left)
	}
	return err == nil
}

// round does each part, whatever becomes of the others.
func (u *Upkeep) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return errors.Join(u.Ledger.MakePartitions(ctx, ahead), u.Ledger.TrimFeed(ctx, u.Now()), u.requests(ctx), u.content(ctx), u.letters(ctx))
}

func (u *Upkeep) requests(ctx context.Context) error {
	if u.Days == 0 {
		return nil
	}
	return u.Ledger.DropRequests(ctx, u.before(u.Days))
}

func (u *Upkeep) letters(ctx context.Context) error {
	if u.ContentDays == 0 {
		return nil
	}
	return u.Ledger.DropLetterContent(ctx, u.before(u.ContentDays))
}

func (u *Upkeep) before(days int) time.Time { return u.Now().AddDate(0, 0, -days) }

// content removes by account. Days that are too old for all of them go whole.
func (u *Upkeep) content(ctx context.Context) error {
	all, err := u.Ledger.ContentAccounts(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	days, longest, err := u.lasting(ctx, all)
	if err != nil {
		return err
	}
	if longest > 0 {
		err = u.Ledger.DropContent(ctx, u.before(longest))
	}
	for account, n := range days {
		if n > 0 && (n < longest || longest == 0) {
			err = errors.Join(err, u.Ledger.DropContentOf(ctx, account, u.before(n)))
		}
	}
	return err
}

// lasting asks for how long the content of each is kept, and for how long that
// of any is; 0 is for ever. Without all the answers nothing may be removed: the
// longest is not known.
func (u *Upkeep) lasting(ctx context.Context, all []string) (days map[string]int, longest int, err error) {
	days = map[string]int{}
	forever := false
	for _, account := range all {
		n, err := u.ask(ctx, account)
		if err != nil {
			return nil, 0, fmt.Errorf("ask for how long content is kept: %w", err)
		}
		days[account], longest, forever = n, max(longest, n), forever || n == 0
	}
	if forever {
		longest = 0
	}
	return days, longest, nil
}

// ask keeps what is of an account that keyauth does not tell of for as long as
// its requests: nobody said that it may go.
func (u *Upkeep) ask(ctx context.Context, account string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	resp, err := u.Accounts.GetAccount(ctx, &keyauthv1.GetAccountRequest{Actor: &keyauthv1.Actor{AccountId: account}})
	if apperr.Is(err, apperr.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if days := int(resp.GetAccount().GetContentDays()); days > 0 {
		return days, nil
	}
	return u.ContentDays, nil
}

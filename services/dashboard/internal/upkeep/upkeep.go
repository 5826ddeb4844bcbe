// Package upkeep maintains the ledger in the background. It creates partitions
// for the coming days and the indexes of past ones, trims the feed of recent
// commits, and deletes expired requests and content. Once per start it replays
// parked dead letters: records whose schema was too new when they arrived. The
// retention comes from the settings of the installation and of each account. The
// dashboard runs one Upkeep. Several dashboards may run at once.
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

// Ledger is the part of the store that Upkeep maintains.
type Ledger interface {
	CreatePartitions(ctx context.Context, days int) error
	// IndexDays creates the indexes of the sort orders for past days and large ones.
	IndexDays(ctx context.Context) error
	TrimFeed(ctx context.Context, now time.Time) error
	DropRequests(ctx context.Context, before time.Time) error
	DropContent(ctx context.Context, before time.Time) error
	DropAccountContent(ctx context.Context, account string, before time.Time) error
	ListContentAccounts(ctx context.Context) ([]string, error)
	// JoinWaitingEvidence joins evidence that arrived before its request, and deletes
	// evidence whose request did not arrive in time.
	JoinWaitingEvidence(ctx context.Context) error
	// ApplyDeadLetterRetention removes old content from dead letters. It deletes dead
	// letters whose content it cannot locate. Their account is unknown, so the
	// installation's retention applies.
	ApplyDeadLetterRetention(ctx context.Context, before time.Time) error
	// ReplayDeadLetters stores dead letters that this version can decode. If all
	// is false, it tries only the parked ones: those whose schema was too new for
	// the version that received them.
	ReplayDeadLetters(ctx context.Context, all bool) (done, left int, err error)
}

// Accounts returns the settings of an account, such as how long it retains
// content. The keyauth client implements it.
type Accounts interface {
	GetAccount(ctx context.Context, in *keyauthv1.GetAccountRequest, opts ...grpc.CallOption) (*keyauthv1.GetAccountResponse, error)
}

// Upkeep is the maintenance job. Every field is required. Zero days means keep
// forever.
type Upkeep struct {
	Ledger   Ledger
	Accounts Accounts
	// RequestDays is how long requests are retained.
	RequestDays int
	// ContentDays is how long content is retained, unless the account sets its own
	// period. Content is never retained longer than its request.
	ContentDays int
	Log         *slog.Logger
	// Now returns the current time.
	Now func() time.Time
}

const (
	// roundInterval is the time between two rounds. A failed step is retried in the
	// next round.
	roundInterval = 10 * time.Minute
	// partitionDaysAhead is the number of days for which partitions are created in
	// advance. After a downtime of up to a week, a dashboard therefore finds the
	// partition of the current day.
	partitionDaysAhead = 8
	roundTimeout       = 5 * time.Minute
	// callTimeout limits one call to keyauth.
	callTimeout = 5 * time.Second
)

// Run runs a round at once and then every ten minutes until ctx ends.
func (u *Upkeep) Run(ctx context.Context) error {
	tick := time.NewTicker(roundInterval)
	defer tick.Stop()
	for replayed := false; ; {
		if !replayed {
			replayed = u.replayParked(ctx)
		}
		if err := u.runRound(ctx); err != nil && ctx.Err() == nil {
			u.Log.Warn("ledger upkeep incomplete, will retry", "error", err, "again_in", roundInterval)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// replayParked stores the dead letters that an older version could not decode.
// One success per process is enough: a process supports the same schemas until
// it ends.
func (u *Upkeep) replayParked(ctx context.Context) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	done, left, err := u.Ledger.ReplayDeadLetters(ctx, false)
	if err != nil && ctx.Err() == nil {
		u.Log.Warn("replaying parked records failed, will retry", "error", err)
	}
	if done+left > 0 {
		u.Log.Info("parked records replayed", "stored", done, "left", left)
	}
	return err == nil
}

// runRound runs every step, even if another step fails.
func (u *Upkeep) runRound(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	return errors.Join(u.Ledger.CreatePartitions(ctx, partitionDaysAhead), u.Ledger.TrimFeed(ctx, u.Now()), u.dropRequests(ctx), u.dropContent(ctx), u.dropLetterContent(ctx), u.Ledger.JoinWaitingEvidence(ctx), u.Ledger.IndexDays(ctx))
}

func (u *Upkeep) dropRequests(ctx context.Context) error {
	if u.RequestDays == 0 {
		return nil
	}
	return u.Ledger.DropRequests(ctx, u.daysAgo(u.RequestDays))
}

func (u *Upkeep) dropLetterContent(ctx context.Context) error {
	if u.ContentDays == 0 {
		return nil
	}
	return u.Ledger.ApplyDeadLetterRetention(ctx, u.daysAgo(u.ContentDays))
}

// daysAgo counts days of 24 hours. In a local zone, a day may have 23 hours, and data would be
// deleted early.
func (u *Upkeep) daysAgo(days int) time.Time { return u.Now().UTC().AddDate(0, 0, -days) }

// dropContent deletes expired content. It drops whole days that are older than
// the longest retention of all accounts. It deletes newer days account by
// account.
func (u *Upkeep) dropContent(ctx context.Context) error {
	all, err := u.Ledger.ListContentAccounts(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	days, longest, err := u.readRetention(ctx, all)
	if err != nil {
		return err
	}
	if longest > 0 {
		err = u.Ledger.DropContent(ctx, u.daysAgo(longest))
	}
	for account, n := range days {
		if n > 0 && (n < longest || longest == 0) {
			err = errors.Join(err, u.Ledger.DropAccountContent(ctx, account, u.daysAgo(n)))
		}
	}
	return err
}

// readRetention returns the content retention of each account in days, and the
// longest of them. 0 means forever. If one lookup fails, the longest retention is
// unknown. readRetention then returns an error, so that nothing is deleted.
func (u *Upkeep) readRetention(ctx context.Context, all []string) (days map[string]int, longest int, err error) {
	days = map[string]int{}
	forever := false
	for _, account := range all {
		n, err := u.lookUpContentDays(ctx, account)
		if err != nil {
			return nil, 0, fmt.Errorf("look up content retention: %w", err)
		}
		days[account], longest, forever = n, max(longest, n), forever || n == 0
	}
	if forever {
		longest = 0
	}
	return days, longest, nil
}

// lookUpContentDays returns an account's content retention in days. It returns 0
// for an account that keyauth does not know. The content of such an account is
// retained as long as its requests.
func (u *Upkeep) lookUpContentDays(ctx context.Context, account string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
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

// Package inflight holds the requests that proxies are serving now. Proxies report
// them once a second, and a Board reads the reports at most once a second however many
// pages are open, and not at all while none is.
package inflight

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// interval is the shortest time between two reads of the reports.
	interval    = time.Second
	readTimeout = time.Second
)

// Source returns the reports that have not expired. records.Source implements it.
type Source interface {
	RunningRequests(ctx context.Context) ([]records.RunningRequest, error)
}

// Board is safe for concurrent use.
type Board struct {
	from Source
	log  *slog.Logger

	mu        sync.Mutex
	readAt    time.Time
	byAccount map[string][]record.Running
	failing   bool
}

// New returns a board that reads nothing yet.
func New(from Source, log *slog.Logger) *Board { return &Board{from: from, log: log} }

// Running returns the requests in progress of one account. The caller must not change
// them. If the reports cannot be read, it returns none: a request that may have ended
// is not shown.
func (b *Board) Running(ctx context.Context, account string) []record.Running {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.readAt) >= interval {
		b.read(ctx)
	}
	return b.byAccount[account]
}

func (b *Board) read(ctx context.Context) {
	// One page that closes must not fail the read for the others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	all, err := b.from.RunningRequests(ctx)
	if err != nil && !b.failing {
		b.log.Warn("cannot read the requests in progress", "error", err)
	}
	b.failing, b.readAt = err != nil, time.Now()
	b.byAccount = map[string][]record.Running{}
	for _, one := range all {
		r, err := codec.Decode(one.Record)
		if err != nil { // of a newer proxy
			continue
		}
		b.byAccount[r.AccountID] = append(b.byAccount[r.AccountID], record.Running{Record: *r, Elapsed: one.Elapsed})
	}
}

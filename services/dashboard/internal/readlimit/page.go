package readlimit

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// Timeout limits the ledger reads of a request.
	Timeout = 10 * time.Second
	// pageSize is the number of records held in memory at a time.
	pageSize = 500
	// maxAttempts is how often ReadPageWithRetry tries to read a page while the
	// account has no free slot for reads.
	maxAttempts = 10
)

// Pages reads records page by page.
type Pages interface {
	Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error)
}

// ReadPage reads the next page of a large result.
func ReadPage(ctx context.Context, l Pages, q record.Query, after *record.Cursor) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return l.Page(ctx, q, after, pageSize)
}

// ReadPageWithRetry is ReadPage, but it tries several times to get a slot for reads.
// Otherwise a long export or replay would fail while the account runs other reads.
func ReadPageWithRetry(ctx context.Context, l Pages, q record.Query, after *record.Cursor) (page record.Page, err error) {
	for range maxAttempts {
		page, err = ReadPage(ctx, l, q, after)
		if !apperr.Is(err, apperr.ConcurrencyLimitExceeded) || ctx.Err() != nil {
			return page, err
		}
	}
	return page, err
}

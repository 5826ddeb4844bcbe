package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/sharedrun"
)

const (
	insertSharedRun  = `INSERT INTO shared_runs (id, account_id, author, created_us, content) VALUES ($1, $2, $3, $4, $5)`
	deleteOldRuns    = `DELETE FROM shared_runs WHERE created_us < $1`
	deleteExcessRuns = `DELETE FROM shared_runs WHERE account_id = $1 AND id IN (
		SELECT id FROM shared_runs WHERE account_id = $1 ORDER BY created_us DESC, id DESC LIMIT 1000 OFFSET $2)`
	selectSharedRun = `SELECT author, created_us, content FROM shared_runs WHERE account_id = $1 AND id = $2 AND created_us >= $3`
)

// ShareRun stores a shared run. It deletes runs that are too old, and the oldest runs of the
// account beyond its limit.
func (s *Store) ShareRun(ctx context.Context, r sharedrun.Run) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, deleteOldRuns, s.now().Add(-sharedrun.Lifetime).UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, insertSharedRun, r.ID, r.AccountID, codec.CleanText(r.Author), r.Created.UnixMicro(), codec.CleanText(r.Content))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, deleteExcessRuns, r.AccountID, sharedrun.MaxPerAccount)
		return err
	})
	if err != nil {
		return unavailableError(fmt.Errorf("share run: %w", err))
	}
	return nil
}

// SharedRun returns a shared run of an account. Error: NOT_FOUND if the account has no such
// run, or if it is too old.
func (s *Store) SharedRun(ctx context.Context, account, id string) (sharedrun.Run, error) {
	oldest := s.now().Add(-sharedrun.Lifetime).UnixMicro()
	found, err := sqldb.QueryAll(ctx, s.db.Read(), selectSharedRun, []any{account, codec.CleanText(id), oldest}, func(rows *sql.Rows) (sharedrun.Run, error) {
		r := sharedrun.Run{ID: id, AccountID: account}
		var created int64
		err := rows.Scan(&r.Author, &created, &r.Content)
		r.Created = time.UnixMicro(created).UTC()
		return r, err
	})
	if err != nil {
		return sharedrun.Run{}, unavailableError(err)
	}
	if len(found) == 0 {
		return sharedrun.Run{}, apperr.New(apperr.NotFound, "this shared run does not exist, or it has expired")
	}
	return found[0], nil
}

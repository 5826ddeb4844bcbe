package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/savedview"
)

const (
	deleteSameView = `DELETE FROM saved_views WHERE account_id = $1 AND author_id = $2 AND name = $3`
	insertView     = `INSERT INTO saved_views (id, account_id, author_id, author, name, query, shared, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	countViews = `SELECT COUNT(CASE WHEN author_id = $2 THEN 1 END), COUNT(CASE WHEN shared = 1 THEN 1 END)
		FROM saved_views WHERE account_id = $1`
	selectViews = `SELECT id, author_id, author, name, query, shared, created_us FROM saved_views
		WHERE account_id = $1 AND (shared = 1 OR author_id = $2) ORDER BY created_us, id`
	// A private view of another user is not found.
	selectView = `SELECT author_id FROM saved_views WHERE account_id = $1 AND id = $2 AND (shared = 1 OR author_id = $3)`
	deleteView = `DELETE FROM saved_views WHERE account_id = $1 AND id = $2`
)

// errTooManyViews rolls the new view back.
var errTooManyViews = errors.New("too many views")

// SaveView stores a view. It replaces the view of the same author and name. Error:
// INVALID_REQUEST if the user or the account has too many views.
func (s *Store) SaveView(ctx context.Context, v savedview.View) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, deleteSameView, v.AccountID, v.AuthorID, codec.CleanText(v.Name)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, insertView, v.ID, v.AccountID, v.AuthorID, codec.CleanText(v.Author), codec.CleanText(v.Name),
			codec.CleanText(v.Query), toBit(v.Shared), v.Created.UnixMicro())
		if err != nil {
			return err
		}
		var own, shared int
		if err := tx.QueryRowContext(ctx, countViews, v.AccountID, v.AuthorID).Scan(&own, &shared); err != nil {
			return err
		}
		if own > savedview.MaxPerUser || v.Shared && shared > savedview.MaxShared {
			return errTooManyViews
		}
		return nil
	})
	switch {
	case errors.Is(err, errTooManyViews):
		return apperr.New(apperr.InvalidRequest, "there are too many saved views; delete one first").With("param", "name")
	case err != nil:
		return unavailableError(fmt.Errorf("save view: %w", err))
	}
	return nil
}

// Views returns the views that a user sees, oldest first: the own ones, and the shared ones of
// the account.
func (s *Store) Views(ctx context.Context, account, user string) ([]savedview.View, error) {
	all, err := sqldb.QueryAll(ctx, s.db.Read(), selectViews, []any{account, user}, func(rows *sql.Rows) (savedview.View, error) {
		v := savedview.View{AccountID: account}
		var shared, created int64
		err := rows.Scan(&v.ID, &v.AuthorID, &v.Author, &v.Name, &v.Query, &shared, &created)
		v.Shared, v.Created = shared == 1, time.UnixMicro(created).UTC()
		return v, err
	})
	if err != nil {
		return nil, unavailableError(err)
	}
	return all, nil
}

// DeleteView deletes a view. Only its author may, unless ofOthers is true. Errors: NOT_FOUND if
// the user does not see such a view, AUTH_FORBIDDEN if the user may not delete it.
func (s *Store) DeleteView(ctx context.Context, account, user, id string, ofOthers bool) error {
	id = codec.CleanText(id)
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		var author string
		err := tx.QueryRowContext(ctx, selectView, account, id, user).Scan(&author)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return apperr.New(apperr.NotFound, "this view does not exist")
		case err != nil:
			return err
		case author != user && !ofOthers:
			return apperr.New(apperr.AuthForbidden, "only the author of the view or an owner of the account may delete it")
		}
		_, err = tx.ExecContext(ctx, deleteView, account, id)
		return err
	})
	if err != nil && !apperr.Is(err, apperr.NotFound) && !apperr.Is(err, apperr.AuthForbidden) {
		return unavailableError(fmt.Errorf("delete view: %w", err))
	}
	return err
}

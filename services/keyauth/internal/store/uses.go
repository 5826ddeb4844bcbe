package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/report"
)

// maxUsesPerStatement keeps a statement below the parameter limits of both databases.
const maxUsesPerStatement = 200

const (
	usesHead = `WITH v (key_id, account_id, used_us, address) AS (VALUES `
	usesRow  = `(CAST($%d AS TEXT), CAST($%d AS TEXT), CAST($%d AS BIGINT), CAST($%d AS TEXT))`
	// usesTail ignores an entry if its key does not belong to its account.
	usesTail = `)
INSERT INTO key_uses (key_id, account_id, used_us, address)
SELECT k.id, k.account_id, v.used_us, v.address FROM v JOIN keys k ON k.id = v.key_id
WHERE k.account_id = v.account_id ORDER BY k.id
ON CONFLICT (key_id) DO UPDATE SET used_us = excluded.used_us, address = excluded.address
WHERE excluded.used_us > key_uses.used_us`
)

// SaveUses stores the last uses of keys. In Postgres it does not wait for other writers.
// account.Store describes the method.
func (s *Store) SaveUses(ctx context.Context, uses []report.Use) error {
	// Sort by key, so that concurrent callers lock the rows in the same order and do not deadlock.
	uses = slices.SortedFunc(slices.Values(uses), func(a, b report.Use) int { return strings.Compare(a.KeyID, b.KeyID) })
	return s.write(ctx, func(w writer) error {
		for some := range slices.Chunk(uses, maxUsesPerStatement) {
			statement, args := usesStatement(some)
			if _, err := w.exec(ctx, acrossUse, statement, args...); err != nil {
				return fmt.Errorf("save key uses: %w", err)
			}
		}
		return nil
	})
}

func usesStatement(uses []report.Use) (string, []any) {
	rows, args := make([]string, len(uses)), make([]any, 0, 4*len(uses))
	for i, u := range uses {
		rows[i] = fmt.Sprintf(usesRow, 4*i+1, 4*i+2, 4*i+3, 4*i+4)
		args = append(args, u.KeyID, u.AccountID, microTime(u.At), u.Address)
	}
	return usesHead + strings.Join(rows, ", ") + usesTail, args
}

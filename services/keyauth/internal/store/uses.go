package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// usesAtOnce keeps a statement below what the databases take as parameters.
const usesAtOnce = 200

const (
	usesHead = `WITH v (key_id, account_id, used_us, address) AS (VALUES `
	usesRow  = `(CAST($%d AS TEXT), CAST($%d AS TEXT), CAST($%d AS BIGINT), CAST($%d AS TEXT))`
	// usesTail takes only keys of the account that was named.
	usesTail = `)
INSERT INTO uses (key_id, account_id, used_us, address)
SELECT k.id, k.account_id, v.used_us, v.address FROM v JOIN keys k ON k.id = v.key_id
WHERE k.account_id = v.account_id ORDER BY k.id
ON CONFLICT (key_id) DO UPDATE SET used_us = excluded.used_us, address = excluded.address
WHERE excluded.used_us > uses.used_us`
)

// NoteUses keeps last uses, in a transaction that waits for no other writer
// and is no change of a key; see account.Store.
func (s *Store) NoteUses(ctx context.Context, uses []account.Use) error {
	// In the same order everywhere, or two callers would wait for each other.
	uses = slices.SortedFunc(slices.Values(uses), func(a, b account.Use) int { return strings.Compare(a.KeyID, b.KeyID) })
	return s.write(ctx, func(w writer) error {
		for some := range slices.Chunk(uses, usesAtOnce) {
			statement, args := usesStatement(some)
			if _, err := w.exec(ctx, acrossUse, statement, args...); err != nil {
				return fmt.Errorf("note uses: %w", err)
			}
		}
		return nil
	})
}

func usesStatement(uses []account.Use) (string, []any) {
	rows, args := make([]string, len(uses)), make([]any, 0, 4*len(uses))
	for i, u := range uses {
		rows[i] = fmt.Sprintf(usesRow, 4*i+1, 4*i+2, 4*i+3, 4*i+4)
		args = append(args, u.KeyID, u.AccountID, stamp(u.At), u.Address)
	}
	return usesHead + strings.Join(rows, ", ") + usesTail, args
}

package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Copy stores new records of one hour as Insert would, rows and sums, but not
// in one transaction and without looking whether they are there. The partition
// of their day must be.
func Copy(ctx context.Context, conn *pgx.Conn, all []*record.Record) error {
	var rows [][]any
	for _, r := range all {
		row, err := requestRow(r)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := copyInto(ctx, conn, requestsTable, rows); err != nil {
		return err
	}
	return copyInto(ctx, conn, hourlyTable, hourlyRows(all))
}

func copyInto(ctx context.Context, conn *pgx.Conn, t table, rows [][]any) error {
	var columns []string
	for _, c := range t.columns {
		columns = append(columns, c.name)
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{schema, t.name}, columns, pgx.CopyFromRows(rows))
	return err
}

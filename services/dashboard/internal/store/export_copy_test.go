package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

// Copy stores new records of one hour like Insert, with rows and hourly aggregates,
// but in several transactions and without checking for duplicates. The partition of
// their day must exist.
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
	return copyInto(ctx, conn, hourly.Table, hourly.buildRows(aggregateByHour(all)))
}

// CopySessions creates the sums of the sessions of an account from its requests.
func CopySessions(ctx context.Context, conn *pgx.Conn, account string) error {
	_, err := conn.Exec(ctx, `INSERT INTO dashboard.sessions SELECT account_id, session, MAX(agent), MAX(end_user), MIN(time_us), MAX(time_us + latency_us),
		COUNT(*), SUM(side_call), COUNT(*) FILTER (WHERE code <> ''), COUNT(*) FILTER (WHERE cost_nano_usd IS NULL), COALESCE(SUM(cost_nano_usd), 0),
		COALESCE(SUM(baseline_nano_usd - cost_nano_usd), 0), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens)
		FROM dashboard.requests WHERE account_id = $1 AND session <> '' GROUP BY account_id, session`, account)
	return err
}

// CopyDays creates the daily aggregates of an account from its hourly ones.
func CopyDays(ctx context.Context, conn *pgx.Conn, account string) error {
	var figures []string
	for _, f := range figureColumns {
		figures = append(figures, "SUM("+f+")")
	}
	_, err := conn.Exec(ctx, `INSERT INTO dashboard.daily SELECT account_id, hour / 24, key_id, key_name, model, provider, route,
		outcome, stream, `+strings.Join(figures, ", ")+` FROM dashboard.hourly WHERE account_id = $1
		GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`, account)
	return err
}

// CopyGroups creates the sums by agent, user, session and tag with the statements of their
// migrations.
func CopyGroups(ctx context.Context, conn *pgx.Conn) error {
	statements := "SET search_path TO " + schema + "; TRUNCATE group_daily, group_hourly"
	for _, name := range []string{"0013_spend_groups.sql", "0015_hourly_groups.sql"} {
		text, err := migrations.ReadFile("migrations/postgres/" + name)
		if err != nil {
			return err
		}
		_, inserts, _ := strings.Cut(string(text), "\nINSERT INTO")
		statements += "; INSERT INTO " + strings.TrimSuffix(strings.TrimSpace(inserts), ";")
	}
	_, err := conn.Exec(ctx, statements)
	return err
}

func copyInto(ctx context.Context, conn *pgx.Conn, t bulk.Table, rows [][]any) error {
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{schema, t.Name}, columns, pgx.CopyFromRows(rows))
	return err
}

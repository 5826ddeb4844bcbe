package allinone

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// Downgrade takes the stores back to the schemas of PreviousCommit. The stores are in the Postgres
// at postgresURL or, if that is empty, in a data directory. If a process uses one of them, Downgrade
// changes none. If it is interrupted, it can run again.
func Downgrade(ctx context.Context, data, postgresURL string, out io.Writer) error {
	all, err := Stores()
	if err != nil {
		return err
	}
	if postgresURL == "" {
		unlock, err := lockExisting(data)
		if err != nil {
			return err
		}
		defer func() { _ = unlock() }()
	}
	for _, s := range all {
		if err := sqldb.CheckUndo(ctx, s.url(data, postgresURL), s.options, s.Previous); err != nil {
			return err
		}
	}
	for _, s := range all {
		taken, err := sqldb.Undo(ctx, s.url(data, postgresURL), s.options, s.Previous)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%-10s %s\n", s.Service, describeSteps(taken)); err != nil {
			return err
		}
	}
	return nil
}

func describeSteps(taken []sqldb.UndoStep) string {
	var names []string
	for _, s := range taken {
		names = append(names, strings.TrimSuffix(s.Migration, ".sql"))
	}
	if len(names) == 0 {
		return "unchanged"
	}
	return "took back " + strings.Join(names, ", ")
}

// LostByDowngrade returns which data Downgrade deletes. It returns an error if a migration cannot be
// taken back.
func LostByDowngrade(postgresURL string) (lost []string, err error) {
	all, err := Stores()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		steps, err := sqldb.UndoSteps(s.options, sqldb.DialectOf(postgresURL), s.Previous)
		if err != nil {
			return nil, fmt.Errorf("store of %s: %w", s.Service, err)
		}
		for _, step := range steps {
			if step.Deletes != "" {
				lost = append(lost, step.Deletes)
			}
		}
	}
	return lost, nil
}

func (s Store) url(data, postgresURL string) string {
	if postgresURL != "" {
		return postgresURL
	}
	return sqldb.SQLiteURL(filepath.Join(data, s.file))
}

// lockExisting locks a data directory that must exist.
func lockExisting(data string) (unlock func() error, err error) {
	if _, err := os.Stat(filepath.Join(data, lockFile)); err != nil {
		return nil, fmt.Errorf("%s is not the data directory of a signalbox: %w", data, withoutPath(err))
	}
	f, err := openLock(data)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

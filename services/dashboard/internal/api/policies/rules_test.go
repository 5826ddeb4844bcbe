package policies

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// failingLedger fails all sums with its error, and counts them.
type failingLedger struct {
	Ledger
	err   error
	reads int
}

func (l *failingLedger) InstallationImpact(context.Context, record.Query, record.GroupBy) (record.Impact, error) {
	l.reads++
	return record.Impact{}, l.err
}

func TestRulesAreListedWithoutFiguresIfSumsTakeTooLong(t *testing.T) {
	rules := []policy.WrittenRule{{Route: "auto", Label: "select[0]"}, {Route: "other", Label: "select[0]"}}
	slow := &failingLedger{err: apperr.New(apperr.StoreUnavailable, "the query took too long")}
	items, err := (&API{Ledger: slow}).sumRules(t.Context(), record.Query{}, rules)
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Nil(t, items[0].Figures)
	require.Nil(t, items[1].Figures)
	require.Equal(t, 1, slow.reads, "the second report would take as long")

	broken := &failingLedger{err: apperr.New(apperr.Internal, "broken")}
	_, err = (&API{Ledger: broken}).sumRules(t.Context(), record.Query{}, rules)
	require.Error(t, err)
}

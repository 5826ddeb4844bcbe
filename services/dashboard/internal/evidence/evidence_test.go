package evidence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
)

func TestEveryKindHasAWeight(t *testing.T) {
	for _, k := range evidence.Kinds() {
		require.Positive(t, evidence.WeightOf(k), k)
		require.LessOrEqual(t, evidence.WeightOf(k), int64(evidence.FullWeight), k)
	}
}

func TestALaterItemReplacesAnEarlierOne(t *testing.T) {
	first, second := uuid.UUID{1}, uuid.UUID{2}
	item := func(id uuid.UUID, source string, score, second int64) evidence.Item {
		return evidence.Item{AccountID: "a", RequestID: id, Kind: evidence.Feedback, Source: source, Score: score, Created: time.Unix(second, 0)}
	}
	other := item(first, "x", 1, 9)
	other.AccountID = "b"
	signal := item(first, "x", 2, 1)
	signal.Kind = evidence.Empty
	given := []evidence.Item{
		item(second, "x", 3, 5), item(first, "x", 4, 7), item(first, "x", 5, 6), item(first, "y", 6, 1), other, signal,
		item(second, "x", 7, 5),
	}
	require.Equal(t, []evidence.Item{signal, item(first, "x", 4, 7), item(first, "y", 6, 1), other, item(second, "x", 7, 5)}, evidence.Latest(given))
	require.Equal(t, int64(3), given[0].Score, "the argument is not changed")
	require.Empty(t, evidence.Latest(nil))
}

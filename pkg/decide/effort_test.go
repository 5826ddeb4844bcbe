package decide

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// scoresByEffort returns LiveBench's overall scores of a model by effort.
func scoresByEffort(m *catalog.Entry) map[string]float64 {
	scores := map[string]float64{}
	for _, b := range m.Benchmarks {
		if b.Name == "LiveBench overall" && b.Effort != "" {
			scores[b.Effort] = b.Value
		}
	}
	return scores
}

// The factors of the quality are the medians of the catalog's scores. A new catalog can change
// them. Then the factors and EngineVersion must change too.
func TestEffortFactorsAreTheCatalogsMedians(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	ratios := map[string][]int64{}
	for _, m := range cat.Models() {
		scores := scoresByEffort(&m)
		if medium := scores["medium"]; medium > 0 {
			for effort, score := range scores {
				ratios[effort] = append(ratios[effort], int64(score*1000/medium))
			}
		}
	}
	for i, f := range effortFactors {
		require.Equal(t, catalog.Efforts()[i], f.effort)
		want := f.effort
		if want == "max" {
			want = "xhigh" // no model has a score for max
		}
		all := ratios[want]
		require.NotEmpty(t, all, want)
		slices.Sort(all)
		middle := len(all) / 2
		median := all[middle]
		if len(all)%2 == 0 {
			median = (all[middle-1] + all[middle]) / 2
		}
		require.Equal(t, median, f.quality, "%s %v", f.effort, all)
	}
	require.Empty(t, ratios["max"])
}

// A compiled policy of an earlier version has no lengths, so that its decisions are
// recomputed with the same costs.
func TestTheExpectedLengthIsTheModels(t *testing.T) {
	q := Question{Kind: catalog.Chat}
	require.Equal(t, int64(PredictedOutputTokens), predictedOutput(&q, 0))
	require.Equal(t, int64(1200), predictedOutput(&q, 1200))
	q.MaxOutputTokens = 300
	require.Equal(t, int64(300), predictedOutput(&q, 1200))
	q = Question{Kind: catalog.Chat, Session: &Session{OutputTokens: 90}}
	require.Equal(t, int64(90), predictedOutput(&q, 1200), "a session's own average is better evidence")
	require.Zero(t, predictedOutput(&Question{Kind: catalog.Embeddings}, 1200))
}

func TestEffortsChangeExpectations(t *testing.T) {
	require.Equal(t, int64(700), qualityWithEffort(700, ""))
	require.Less(t, qualityWithEffort(700, "low"), qualityWithEffort(700, "high"))
	require.Equal(t, int64(1000), qualityWithEffort(990, "max"))
	require.Equal(t, int64(700), qualityWithEffort(700, "unknown"))
	require.Equal(t, int64(100), outputWithEffort(&Question{}, 100, ""))
	require.Equal(t, int64(50), outputWithEffort(&Question{}, 100, "low"))
	require.Equal(t, int64(130), outputWithEffort(&Question{MaxOutputTokens: 130}, 100, "high"))
}

func TestEffortReferenceIsCurrent(t *testing.T) {
	rows := [][]string{{"effort", "quality", "output"}}
	for _, f := range effortFactors {
		rows = append(rows, []string{"`" + f.effort + "`", string(formatThousandths(nil, f.quality)), string(formatThousandths(nil, f.output))})
	}
	docsref.Check(t, "policy.md", "efforts", docsref.Table(rows))
}

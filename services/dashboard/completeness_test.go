package dashboard_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

type completeness struct {
	Sent, Stored, Missing, Lost int64
	InFlight                    int64 `json:"in_flight"`
	Producers                   []struct {
		Producer, Host string
		LastSeen       *time.Time `json:"last_seen"`
		Sent, Refused  int64
		InFlight       int64 `json:"in_flight"`
		Gaps           []struct{ First, Last uint64 }
	}
}

// TestCompletenessShowsUnarrivedRecords checks that a proxy reports what it wrote,
// and that the operator sees which records have not arrived.
func TestCompletenessShowsUnarrivedRecords(t *testing.T) {
	h := newTestEnv(t, "")
	_, account := h.registerUser("a@example.com")
	operator := h.claimOperator()
	h.publish(newRecord(account, 1, nil), newRecord(account, 2, nil))
	say := func(s records.ProducerState) completeness {
		s.Producer, s.Host, s.At = "proxy-1", "host-1", time.Now()
		require.NoError(t, h.carrier.ReportState(t.Context(), s))
		var got completeness
		require.Eventually(t, func() bool {
			got = completeness{}
			body := operator.api("GET", "/completeness", "").body
			return json.Unmarshal([]byte(body), &got) == nil && got.Sent == int64(s.Written)
		}, 20*time.Second, 10*time.Millisecond)
		require.Len(t, got.Producers, 1)
		require.Equal(t, "host-1", got.Producers[0].Host)
		require.NotNil(t, got.Producers[0].LastSeen)
		return got
	}
	got := say(records.ProducerState{Written: 5, FirstUnstored: 3, Refused: 4})
	require.Equal(t, []int64{2, 3, 0, 0}, []int64{got.Stored, got.InFlight, got.Missing, got.Lost}, "the proxy has them")
	require.EqualValues(t, 3, got.Producers[0].InFlight)
	require.EqualValues(t, 4, got.Producers[0].Refused)
	require.Empty(t, got.Producers[0].Gaps)

	got = say(records.ProducerState{Written: 6, FirstUnstored: 7, Lost: 1})
	require.Equal(t, []int64{2, 0, 3, 1}, []int64{got.Stored, got.InFlight, got.Missing, got.Lost}, "no spool has them")
	require.Equal(t, []struct{ First, Last uint64 }{{3, 6}}, got.Producers[0].Gaps)
}

// Damaged entries are stored as dead letters and do not count as sent.
func TestDamagedEntriesDoNotCountAsSent(t *testing.T) {
	h := newTestEnv(t, "")
	operator := h.claimOperator()
	require.NoError(t, h.carrier.Publish(t.Context(), []records.Entry{{Producer: "proxy-1", Record: []byte("\x01damage")}}))
	require.Eventually(t, func() bool {
		return len(operator.api("GET", "/dead-letters", "").json(t)["items"].([]any)) == 1
	}, 20*time.Second, 10*time.Millisecond)
	meter := operator.api("GET", "/completeness", "").json(t)
	require.Zero(t, meter["stored"])
	require.Zero(t, meter["dead_letters"], "it is none of the stored")
	committed, err := h.carrier.CommittedRanges(t.Context(), "proxy-1")
	require.NoError(t, err)
	require.Empty(t, committed)
}

package control_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

func record() *ledger.Record {
	return &ledger.Record{ID: uuid.Must(uuid.NewV7()), Time: time.Now(), Outcome: ledger.OK, Route: ledger.Fallback}
}

func encoded(t *testing.T, r *ledger.Record) *recordv1.RequestRecord {
	t.Helper()
	b, err := control.RecordCodec{}.Encode(r)
	require.NoError(t, err)
	var out recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(b, &out))
	return &out
}

// What strangers send must not make a record impossible to write, nor endless.
func TestStrangersTextsNeverHarmARecord(t *testing.T) {
	bad := "id \xff\xfe" + strings.Repeat("x", 1<<20)
	r := record()
	r.ClientRequestID, r.RequestedModel, r.Message, r.KeyName = bad, bad, bad, bad
	r.Attempts = []ledger.Attempt{{Target: decide.Target{Model: "m", Provider: "p"}, UpstreamID: bad}}
	out := encoded(t, r)
	for _, s := range []string{out.GetClientRequestId(), out.GetRequestedModel(), out.GetError(), out.GetKeyName(), out.GetAttempts()[0].GetUpstreamRequestId()} {
		require.Less(t, len(s), 4<<10)
		require.True(t, strings.HasPrefix(s, "id \uFFFD"))
	}
}

func TestANoteBecomesAnAbortedRecord(t *testing.T) {
	cost := int64(7)
	r := record()
	r.Cost, r.Baseline = &cost, &cost
	note, err := control.RecordCodec{}.Encode(r)
	require.NoError(t, err)
	made, err := control.Abort(note)
	require.NoError(t, err)
	var out recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(made, &out))
	require.Equal(t, recordv1.Outcome_OUTCOME_ABORTED, out.GetOutcome())
	require.Equal(t, r.ID[:], out.GetId())
	require.EqualValues(t, 7, out.GetCostNanoUsd())
	require.Zero(t, out.GetBaselineNanoUsd(), "it produced nothing")
	for _, garbage := range [][]byte{nil, {0xff}, []byte("garbage")} {
		_, err := control.Abort(garbage)
		require.Error(t, err)
	}
}

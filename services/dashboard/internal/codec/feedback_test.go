package codec_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
)

func encodeFeedback(t *testing.T, change func(*recordv1.RequestRecord)) []byte {
	t.Helper()
	id, request := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	m := &recordv1.RequestRecord{
		Schema: 2, Id: id[:], AccountId: "acc", Time: timestamppb.Now(),
		Feedback: []*recordv1.Feedback{{RequestId: request[:], Score: 250, Reason: "bad", Source: "ann"}},
	}
	change(m)
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	return raw
}

func TestFeedbackIsDecoded(t *testing.T) {
	var m *recordv1.RequestRecord
	raw := encodeFeedback(t, func(sent *recordv1.RequestRecord) { m = sent })
	e, err := codec.DecodeEntry(raw)
	require.NoError(t, err)
	require.Nil(t, e.Record)
	require.Equal(t, []evidence.Item{{
		AccountID: "acc", RequestID: uuid.UUID(m.GetFeedback()[0].GetRequestId()), Kind: evidence.Feedback, Source: "ann",
		Score: 250, Weight: evidence.FullWeight, Reason: "bad", Created: m.GetTime().AsTime().Truncate(time.Microsecond),
	}}, e.Feedback)
	_, err = codec.Decode(raw)
	require.Error(t, err, "feedback is never a request")
}

func TestInvalidFeedbackIsRejected(t *testing.T) {
	for name, change := range map[string]func(*recordv1.RequestRecord){
		"no account": func(m *recordv1.RequestRecord) { m.AccountId = "" },
		"no id":      func(m *recordv1.RequestRecord) { m.Id = nil },
		"no request": func(m *recordv1.RequestRecord) { m.Feedback[0].RequestId = []byte("x") },
		"a score":    func(m *recordv1.RequestRecord) { m.Feedback[0].Score = 1001 },
		"below 0":    func(m *recordv1.RequestRecord) { m.Feedback[0].Score = -1 },
	} {
		_, err := codec.DecodeEntry(encodeFeedback(t, change))
		require.Error(t, err, name)
	}
	_, err := codec.DecodeEntry(encodeFeedback(t, func(m *recordv1.RequestRecord) { m.Schema = 4 }))
	var newer *codec.SchemaError
	require.ErrorAs(t, err, &newer)
}

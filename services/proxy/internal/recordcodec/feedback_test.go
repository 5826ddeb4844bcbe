package recordcodec_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/feedback"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
)

func TestFeedbackHasTheFieldsOfTheContract(t *testing.T) {
	id, first, second := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	at := time.Unix(1_790_000_000, 123_000)
	raw := recordcodec.Codec{}.AppendFeedback(nil, &ledger.Feedback{
		ID: id, AccountID: "acc", KeyID: "key", KeyName: "prod", Time: at,
		Items: []feedback.Item{{RequestID: first, Score: 1000, Source: "api"}, {RequestID: second, Reason: "wrong", Source: "ann"}},
	})
	var got recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(raw, &got))
	want := &recordv1.RequestRecord{
		Schema: 2, Id: id[:], AccountId: "acc", KeyId: "key", KeyName: "prod", Time: timestamppb.New(at),
		Feedback: []*recordv1.Feedback{
			{RequestId: first[:], Score: 1000, Source: "api"}, {RequestId: second[:], Reason: "wrong", Source: "ann"},
		},
	}
	require.True(t, proto.Equal(want, &got), "%v", &got)
	require.Empty(t, got.ProtoReflect().GetUnknown())
	bare, had := recordcodec.StripContent(raw)
	require.False(t, had, "a full disk drops no feedback")
	require.Nil(t, bare)
}

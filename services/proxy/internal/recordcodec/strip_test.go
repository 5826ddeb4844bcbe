package recordcodec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
)

func TestStripTakesTheContentAndNothingElse(t *testing.T) {
	whole := appended(nil, full())
	// A field of a newer version in the middle of known ones.
	whole = append([]byte{0xfa, 0x7f, 3, 'n', 'e', 'w'}, whole...)
	bare, had := recordcodec.StripContent(whole)
	require.True(t, had)
	var want, got recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(whole, &want))
	require.NoError(t, proto.Unmarshal(bare, &got))
	require.NotNil(t, want.GetContent())
	want.Content, want.Capture = nil, recordv1.Capture_CAPTURE_DROPPED
	require.True(t, proto.Equal(&want, &got), "want %v\ngot %v", &want, &got)
	require.Equal(t, "new", string(got.ProtoReflect().GetUnknown()[3:]))

	_, had = recordcodec.StripContent(bare)
	require.False(t, had, "no content is left")
}

func TestStripIgnoresRecordsWithoutContent(t *testing.T) {
	r := full()
	r.Request, r.Response = nil, nil
	for _, record := range [][]byte{nil, {0xff}, []byte("no record"), appended(nil, r)} {
		_, had := recordcodec.StripContent(record)
		require.False(t, had)
	}
}

func FuzzStrip(f *testing.F) {
	short := full()
	short.Request = short.Request[:10]
	f.Add(appended(nil, short))
	f.Add([]byte{0x92, 0x02, 0x00, 0xb8, 0x02, 0x01})
	f.Fuzz(func(t *testing.T, record []byte) {
		bare, had := recordcodec.StripContent(record)
		var want, got recordv1.RequestRecord
		if proto.Unmarshal(record, &want) != nil || !had {
			return
		}
		require.NoError(t, proto.Unmarshal(bare, &got))
		require.Nil(t, got.GetContent())
		require.Equal(t, recordv1.Capture_CAPTURE_DROPPED, got.GetCapture())
		require.Equal(t, want.GetId(), got.GetId())
	})
}

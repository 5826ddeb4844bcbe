package codec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const megabyte = 1 << 20

// plain is the smallest record that can be decoded.
func plain() *recordv1.RequestRecord {
	id := uuid.Must(uuid.NewV7())
	return &recordv1.RequestRecord{Schema: Schema, Id: id[:], AccountId: "acc", Outcome: recordv1.Outcome_OUTCOME_OK}
}

// huge exceeds every limit of a record.
func huge() *recordv1.RequestRecord {
	m := plain()
	m.Reason, m.TraceId, m.Features = &recordv1.Reason{}, make([]byte, megabyte), map[string]int64{}
	m.Content = &recordv1.Content{Request: make([]byte, megabyte), Response: make([]byte, megabyte)}
	for n := range 110 {
		m.Attempts = append(m.Attempts, &recordv1.Attempt{Status: int32(n)})
		m.Candidates = append(m.Candidates, &recordv1.Candidate{})
	}
	for n := range 260 {
		m.Features[fmt.Sprintf("%04d%s", n, strings.Repeat("f", 2000))] = int64(n)
	}
	swell(m.ProtoReflect())
	for n, a := range m.GetAttempts() {
		swell(a.ProtoReflect())
		swell(m.GetCandidates()[n].ProtoReflect())
	}
	swell(m.GetReason().ProtoReflect())
	m.BaselinePrice = &recordv1.Price{}
	swell(m.GetBaselinePrice().ProtoReflect())
	m.AccountId = "acc"
	return m
}

// swell fills every text of a message with three-byte characters.
func swell(m protoreflect.Message) {
	text := strings.Repeat("\u20ac", 2000)
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Kind() == protoreflect.StringKind && f.Cardinality() != protoreflect.Repeated {
			m.Set(f, protoreflect.ValueOfString(text))
		}
	}
}

func TestOversizedRecordsAreTruncated(t *testing.T) {
	raw, err := proto.Marshal(huge())
	require.NoError(t, err)
	r, err := Decode(raw)
	require.NoError(t, err)
	require.Len(t, r.Error, 4095, "whole characters")
	require.Len(t, r.Reason.Text, 2046)
	require.Len(t, r.Model, 1023)
	require.True(t, utf8.ValidString(r.Error+r.Reason.Text+r.Model))
	require.Len(t, r.Attempts, 100)
	require.EqualValues(t, 0, r.Attempts[0].Status, "the first ones stay")
	require.Len(t, r.Candidates, 100)
	require.Len(t, r.Features, 250)
	require.Len(t, r.TraceID, 32)
	require.Len(t, r.Content.Request, 256<<10)
	require.Len(t, r.Content.Response, 256<<10)

	encoded, err := Encode(r)
	require.NoError(t, err)
	var kept recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(encoded, &kept))
	require.NoError(t, protorange.Range(kept.ProtoReflect(), func(v protopath.Values) error {
		if text, ok := v.Index(-1).Value.Interface().(string); ok && len(text) > 1<<10 {
			require.Contains(t, []string{".error", ".reason.text"}, v.Path[1:].String())
		}
		return nil
	}))
	again, err := Decode(encoded)
	require.NoError(t, err)
	again.Content = r.Content
	require.Equal(t, r, again, "what was cut is not cut again")
}

// TestEveryFieldSurvivesRoundTrip fails if a field is added to the message but not to the
// codec, which would lose it.
func TestEveryFieldSurvivesRoundTrip(t *testing.T) {
	m := plain()
	fill(m.ProtoReflect())
	id := uuid.Must(uuid.NewV7())
	m.Schema, m.Id, m.TraceId, m.Time = Schema, id[:], bytes.Repeat([]byte{7}, 16), timestamppb.New(time.Now().Truncate(time.Microsecond))
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	r, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, m.GetContent().GetRequest(), r.Content.Request)
	encoded, err := Encode(r)
	require.NoError(t, err)
	var kept recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(encoded, &kept))
	m.Content, m.Feedback, m.Comparison = nil, nil, nil // feedback and comparisons have their own schemas: see DecodeEntry
	require.True(t, proto.Equal(m, &kept), "want %v\ngot  %v", m, &kept)
}

// fill gives every field of a message a distinct value.
func fill(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.IsMap():
			m.Mutable(f).Map().Set(protoreflect.ValueOfString("name").MapKey(), value(f.MapValue()))
		case f.IsList() && f.Kind() != protoreflect.MessageKind:
			m.Mutable(f).List().Append(value(f))
		case f.IsList():
			fill(m.Mutable(f).List().AppendMutable().Message())
		case f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).Message())
		default:
			m.Set(f, value(f))
		}
	}
}

func value(f protoreflect.FieldDescriptor) protoreflect.Value {
	n := int64(f.Number())
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprint("text ", n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{byte(n)})
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	}
	return protoreflect.ValueOfInt64(n)
}

// Records that are older than the field are chats.
func TestARecordWithoutProtocolIsAChat(t *testing.T) {
	for written, want := range map[string]record.Protocol{"": record.ProtocolChat, "gemini": record.ProtocolGemini, "newer": "newer"} {
		m := plain()
		m.Protocol = written
		raw, err := proto.Marshal(m)
		require.NoError(t, err)
		r, err := Decode(raw)
		require.NoError(t, err)
		require.Equal(t, want, r.Protocol)
	}
}

// TestRecordTimeMatchesDayOfID checks that a record's time and its id are on the same day,
// because retention deletes by either.
func TestRecordTimeMatchesDayOfID(t *testing.T) {
	id, err := uuid.Parse("019a8f3c-6b2e-7000-8000-000000000001")
	require.NoError(t, err)
	moment := time.UnixMilli(0x019a8f3c6b2e).UTC()
	midnight := moment.Truncate(day)
	for give, want := range map[*timestamppb.Timestamp]time.Time{
		nil:                                        moment,
		timestamppb.New(time.Unix(-1, 0)):          moment,
		timestamppb.New(midnight.Add(-1)):          moment,
		timestamppb.New(midnight.Add(day)):         moment,
		timestamppb.New(midnight.AddDate(1, 0, 0)): moment,
		{Nanos: -1}:                                moment,
		timestamppb.New(midnight):                  midnight,
		timestamppb.New(midnight.Add(day - 1)):     midnight.Add(day - time.Microsecond),
	} {
		m := plain()
		m.Id, m.Time = id[:], give
		raw, err := proto.Marshal(m)
		require.NoError(t, err)
		r, err := Decode(raw)
		require.NoError(t, err)
		require.Equal(t, want, r.Time, give)
	}
}

func TestAccountIDIsNeverTruncated(t *testing.T) {
	m := plain()
	m.AccountId = strings.Repeat("a", 2000)
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	_, err = Decode(raw)
	require.ErrorContains(t, err, "account")
}

// TestContentIsStripped checks that only the content is removed, also from unknown
// schemas, and that damage ends the copy.
func TestContentIsStripped(t *testing.T) {
	m := plain()
	fill(m.ProtoReflect())
	m.Features = nil // maps are encoded in random order
	bare := proto.CloneOf(m)
	bare.Content = nil
	marshal := func(m proto.Message) []byte {
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		require.NoError(t, err)
		return raw
	}
	newer := protowire.AppendString(protowire.AppendTag(nil, 5000, protowire.BytesType), "later")
	require.Equal(t, append(marshal(bare), newer...), StripContent(append(marshal(m), newer...)))
	require.Equal(t, marshal(bare), StripContent(append(marshal(bare), "\xff text"...)))
	require.Empty(t, StripContent(nil))
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	for name, change := range map[string]func(*recordv1.RequestRecord){
		"schema":       func(m *recordv1.RequestRecord) { m.Schema = 2 },
		"id":           func(m *recordv1.RequestRecord) { m.Id = bytes.Repeat([]byte{1}, 16) },
		"account":      func(m *recordv1.RequestRecord) { m.AccountId = "" },
		"unknown enum": func(m *recordv1.RequestRecord) { m.Route = 99 },
		"value":        func(m *recordv1.RequestRecord) { m.Capture = 99 },
	} {
		m := plain()
		change(m)
		raw, err := proto.Marshal(m)
		require.NoError(t, err)
		_, err = Decode(raw)
		require.ErrorContains(t, err, name)
	}
}

// A record with too much metadata decodes to the same entries every time.
func TestTheSameMetadataStaysEveryTime(t *testing.T) {
	m := plain()
	m.DecisionInputs = &recordv1.DecisionInputs{Metadata: map[string]string{}}
	for n := range 300 {
		m.DecisionInputs.Metadata[fmt.Sprintf("%03d", n)] = "v"
	}
	encoded, err := proto.Marshal(m)
	require.NoError(t, err)
	r, err := Decode(encoded)
	require.NoError(t, err)
	require.Len(t, r.Inputs.Metadata, 100)
	require.Contains(t, r.Inputs.Metadata, "000")
	require.Contains(t, r.Inputs.Metadata, "099")
}

package codec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

const megabyte = 1 << 20

// plain is the least that can be read.
func plain() *recordv1.RequestRecord {
	id := uuid.Must(uuid.NewV7())
	return &recordv1.RequestRecord{Schema: Schema, Id: id[:], AccountId: "acc", Outcome: recordv1.Outcome_OUTCOME_OK}
}

// huge has more of everything than a record may hold.
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
	m.AccountId = "acc"
	return m
}

// swell fills every text of a message with characters of three bytes.
func swell(m protoreflect.Message) {
	text := strings.Repeat("\u20ac", 2000)
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); f.Kind() == protoreflect.StringKind && f.Cardinality() != protoreflect.Repeated {
			m.Set(f, protoreflect.ValueOfString(text))
		}
	}
}

func TestNoRecordIsHuge(t *testing.T) {
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

func TestAnAccountIsNeverCut(t *testing.T) {
	m := plain()
	m.AccountId = strings.Repeat("a", 2000)
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	_, err = Decode(raw)
	require.ErrorContains(t, err, "account")
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	for name, change := range map[string]func(*recordv1.RequestRecord){
		"schema":     func(m *recordv1.RequestRecord) { m.Schema = 2 },
		"id":         func(m *recordv1.RequestRecord) { m.Id = bytes.Repeat([]byte{1}, 16) },
		"account":    func(m *recordv1.RequestRecord) { m.AccountId = "" },
		"enumerated": func(m *recordv1.RequestRecord) { m.Route = 99 },
	} {
		m := plain()
		change(m)
		raw, err := proto.Marshal(m)
		require.NoError(t, err)
		_, err = Decode(raw)
		require.ErrorContains(t, err, name)
	}
}

package rpc_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"

	"github.com/signalbox/signalbox/pkg/rpc"
)

// word is a Message.
type word string

func (w *word) AppendMessage(dst []byte) []byte { return append(dst, *w...) }

func (w *word) ReadMessage(message string) error {
	if message == "" {
		return errors.New("no word")
	}
	*w = word(message)
	return nil
}

func TestAMessageWritesAndReadsItself(t *testing.T) {
	codec := rpc.Codec()
	require.Equal(t, "proto", codec.Name())
	for _, text := range []word{"short", word(make([]byte, 100<<10)), "again"} {
		data, err := codec.Marshal(&text)
		require.NoError(t, err)
		var got word
		require.NoError(t, codec.Unmarshal(data, &got))
		require.Equal(t, text, got)
		data.Free()
	}
	require.ErrorContains(t, codec.Unmarshal(mem.BufferSlice{}, new(word)), "no word")
}

func TestAllOtherMessagesAreWrittenAsEver(t *testing.T) {
	codec := rpc.Codec()
	data, err := codec.Marshal(&healthv1.HealthCheckRequest{Service: "s"})
	require.NoError(t, err)
	var got healthv1.HealthCheckRequest
	require.NoError(t, codec.Unmarshal(data, &got))
	require.Equal(t, "s", got.GetService())
	_, err = codec.Marshal(7)
	require.Error(t, err)
}

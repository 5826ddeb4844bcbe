package api

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

func edgeOf(body, bytes int64) *edge {
	return &edge{Deps: Deps{Limits: Limits{Body: body}, Gate: gate.New(gate.Limits{Bytes: bytes})}}
}

func entered(t *testing.T, e *edge, key string) *exchange {
	t.Helper()
	x := &exchange{principal: &keys.Principal{KeyID: key}, r: httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)}
	require.NoError(t, e.acquireSlot(x))
	return x
}

// counting checks at every read that all memory is reserved.
type counting struct {
	io.Reader
	check func(room int)
}

func (c counting) Read(p []byte) (int, error) {
	c.check(len(p))
	return c.Reader.Read(p)
}

func TestMemoryIsCountedAsLongAsItIsHeld(t *testing.T) {
	e := edgeOf(3<<20, 64<<20)
	want := strings.Repeat("0123456789", 300_000)
	x := entered(t, e, "key")
	read := 0
	r := counting{iotest.HalfReader(strings.NewReader(want)), func(room int) {
		held := int64(len(*x.buffer))
		require.Equal(t, held, e.Gate.Load().Bytes)
		require.LessOrEqual(t, held, bufferSizeFor(grownSize(int64(max(read, unknownInitial+1)))), "no more than belongs to what has come")
		read = len(*x.buffer) - room
	}}
	got, err := e.readAll(x, r, unknownInitial, e.Limits.Body)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	e.release(x)
	require.Zero(t, e.Gate.Load())
}

// A body without a declared length reserves a few times its length, and never the whole limit.
func TestABodyOfUnknownLengthReservesLittle(t *testing.T) {
	for _, length := range []int{1_100_000, 3 << 20, 5 << 20} {
		e := edgeOf(64<<20, 256<<20)
		x := entered(t, e, "key")
		_, err := e.readAll(x, strings.NewReader(strings.Repeat("x", length)), unknownInitial, e.Limits.Body)
		require.NoError(t, err)
		require.LessOrEqual(t, e.Gate.Load().Bytes, int64(slowGrowth*(length+4<<10)))
		e.release(x)
	}
}

// While a body is copied to a larger buffer, both buffers count.
func TestABodyThatMovesIsCountedTwice(t *testing.T) {
	const both = 64<<10 + 256<<10
	for limit, taken := range map[int64]bool{4<<10 + both: true, 4<<10 + both - 1: false} {
		e := edgeOf(1<<20, limit)
		small, x := entered(t, e, "other"), entered(t, e, "key")
		require.NoError(t, e.growBuffer(small, 1, 0))
		_, err := e.readAll(x, strings.NewReader(strings.Repeat("x", 200_000)), maxInitial, 200_000)
		require.Equal(t, taken, err == nil)
		if !taken {
			require.True(t, apperr.Is(err, apperr.GatewayOverloaded))
		}
		e.release(x)
		require.EqualValues(t, 4<<10, e.Gate.Load().Bytes)
	}
}

// The longest body fits even if it has to be copied.
func TestABodyAloneIsAlwaysTaken(t *testing.T) {
	const longest = 1 << 20
	e := edgeOf(longest, longest+1)
	x := entered(t, e, "key")
	_, err := e.readAll(x, strings.NewReader(strings.Repeat("x", longest)), unknownInitial, longest)
	require.NoError(t, err)
	second := entered(t, e, "key")
	require.Error(t, e.growBuffer(second, 1, 0))
	e.release(x)
	require.NoError(t, e.growBuffer(second, 1, 0))
}

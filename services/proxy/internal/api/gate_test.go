package api

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

func entered(t *testing.T, e *edge, key string) *exchange {
	t.Helper()
	x := &exchange{principal: &keys.Principal{KeyID: key}}
	require.NoError(t, e.enter(x))
	return x
}

// counting checks with every read that all the memory is counted.
type counting struct {
	io.Reader
	check func(room int)
}

func (c counting) Read(p []byte) (int, error) {
	c.check(len(p))
	return c.Reader.Read(p)
}

func TestMemoryIsCountedAsLongAsItIsHeld(t *testing.T) {
	e := &edge{Deps: Deps{Limits: Limits{Body: 3 << 20, Bytes: 64 << 20}}}
	want := strings.Repeat("0123456789", 300_000)
	x := entered(t, e, "key")
	read := 0
	r := counting{iotest.HalfReader(strings.NewReader(want)), func(room int) {
		held := int64(len(*x.buffer))
		require.Equal(t, held, e.gate.all.bytes.Load())
		require.Equal(t, held, x.key.bytes.Load())
		require.LessOrEqual(t, held, roomFor(growth*int64(max(read, untold+1))), "no more than belongs to what has come")
		read = len(*x.buffer) - room
	}}
	got, err := e.readAll(x, r, untold, e.Limits.Body)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	e.leave(x)
	require.Zero(t, e.gate.all.bytes.Load())
	require.Zero(t, e.gate.all.requests.Load())
	require.Zero(t, e.gate.of("key").bytes.Load())
	require.Zero(t, e.gate.of("key").requests.Load())
}

// While a body moves from one place to a larger one it has both.
func TestABodyThatMovesIsCountedTwice(t *testing.T) {
	const both = 64<<10 + 256<<10
	for limit, taken := range map[int64]bool{4<<10 + both: true, 4<<10 + both - 1: false} {
		e := &edge{Deps: Deps{Limits: Limits{Body: 1 << 20, Bytes: limit}}}
		small, x := entered(t, e, "other"), entered(t, e, "key")
		require.NoError(t, e.room(small, 1, 0))
		_, err := e.readAll(x, strings.NewReader(strings.Repeat("x", 200_000)), trusted, 200_000)
		require.Equal(t, taken, err == nil)
		if !taken {
			require.True(t, apperr.Is(err, apperr.GatewayOverloaded))
		}
		e.leave(x)
		require.EqualValues(t, 4<<10, e.gate.all.bytes.Load())
	}
}

// The longest body is taken even where it has to move.
func TestABodyAloneIsAlwaysTaken(t *testing.T) {
	const longest = 1 << 20
	e := &edge{Deps: Deps{Limits: Limits{Body: longest, Bytes: longest + 1}}}
	x := entered(t, e, "key")
	_, err := e.readAll(x, strings.NewReader(strings.Repeat("x", longest)), untold, longest)
	require.NoError(t, err)
	second := entered(t, e, "key")
	require.Error(t, e.room(second, 1, 0))
	e.leave(x)
	require.NoError(t, e.room(second, 1, 0))
}

func TestKeysWithNothingInsideAreForgotten(t *testing.T) {
	e := &edge{}
	x := entered(t, e, "inside")
	for i := range 3 * maxKnown {
		e.leave(entered(t, e, strconv.Itoa(i)))
	}
	count := 0
	e.gate.keys.Range(func(any, any) bool { count++; return true })
	require.LessOrEqual(t, count, maxKnown)
	require.Same(t, x.key, e.gate.of("inside"))
}

package bodyreader

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
)

// rig is a gate with a limit of bytes, and the limit of a body.
type rig struct {
	gate   *gate.Gate
	limits Limits
}

func newRig(body, bytes int64) rig {
	return rig{gate.New(gate.Limits{Bytes: bytes}), Limits{Size: body}}
}

// entered is a request that has a slot.
type entered struct {
	Request
	Buffer
	limits Limits
}

func (g rig) enter(t *testing.T, key string) *entered {
	t.Helper()
	slot, err := g.gate.Acquire(t.Context(), gate.Caller{Key: key})
	require.NoError(t, err)
	return &entered{Request: Request{Request: httptest.NewRequestWithContext(t.Context(), "POST", "/", nil), Slot: &slot}, limits: g.limits}
}

func (x *entered) readAll(r io.Reader, firstSize, maxSize int64) ([]byte, error) {
	return x.Buffer.readAll(x.Request, x.limits, r, firstSize, maxSize)
}

func (x *entered) release() {
	x.Free()
	x.Slot.Release()
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
	g := newRig(3<<20, 64<<20)
	want := strings.Repeat("0123456789", 300_000)
	x := g.enter(t, "key")
	read := 0
	r := counting{iotest.HalfReader(strings.NewReader(want)), func(room int) {
		held := int64(len(*x.bytes))
		require.Equal(t, held, g.gate.Load().Bytes)
		require.LessOrEqual(t, held, bufferSizeFor(grownSize(int64(max(read, unknownInitial+1)))), "no more than belongs to what has come")
		read = len(*x.bytes) - room
	}}
	got, err := x.readAll(r, unknownInitial, g.limits.Size)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	x.release()
	require.Zero(t, g.gate.Load())
}

// A body without a declared length reserves a few times its length, and never the whole limit.
func TestABodyOfUnknownLengthReservesLittle(t *testing.T) {
	for _, length := range []int{1_100_000, 3 << 20, 5 << 20} {
		g := newRig(64<<20, 256<<20)
		x := g.enter(t, "key")
		_, err := x.readAll(strings.NewReader(strings.Repeat("x", length)), unknownInitial, g.limits.Size)
		require.NoError(t, err)
		require.LessOrEqual(t, g.gate.Load().Bytes, int64(slowGrowth*(length+4<<10)))
		x.release()
	}
}

// While a body is copied to a larger buffer, both buffers count.
func TestABodyThatMovesIsCountedTwice(t *testing.T) {
	const both = 64<<10 + 256<<10
	for limit, taken := range map[int64]bool{4<<10 + both: true, 4<<10 + both - 1: false} {
		g := newRig(1<<20, limit)
		small, x := g.enter(t, "other"), g.enter(t, "key")
		require.NoError(t, small.grow(small.Slot, 1, 0))
		_, err := x.readAll(strings.NewReader(strings.Repeat("x", 200_000)), maxInitial, 200_000)
		if taken {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrNoMemory)
		}
		x.release()
		require.EqualValues(t, 4<<10, g.gate.Load().Bytes)
	}
}

// The longest body fits even if it has to be copied.
func TestABodyAloneIsAlwaysTaken(t *testing.T) {
	const longest = 1 << 20
	g := newRig(longest, longest+1)
	x := g.enter(t, "key")
	_, err := x.readAll(strings.NewReader(strings.Repeat("x", longest)), unknownInitial, longest)
	require.NoError(t, err)
	second := g.enter(t, "key")
	require.Error(t, second.grow(second.Slot, 1, 0))
	x.release()
	require.NoError(t, second.grow(second.Slot, 1, 0))
}

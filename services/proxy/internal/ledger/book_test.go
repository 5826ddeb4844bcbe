package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// frames is a spool that shows what was written, by id.
type frames struct{ starts, ends map[[16]byte]string }

func newFrames() *frames {
	return &frames{starts: map[[16]byte]string{}, ends: map[[16]byte]string{}}
}

func (f *frames) Start(id [16]byte, buf []byte) error {
	f.starts[id] = string(buf[headroom:])
	clear(buf[:headroom]) // a spool writes there
	return nil
}

func (f *frames) End(id [16]byte, buf []byte) error {
	f.ends[id] = string(buf[headroom:])
	return nil
}

func (*frames) Forget([16]byte) {}

// words is a codec that says what it is given, and counts heads.
type words struct{ heads int }

func (w *words) Head(dst []byte, r *ledger.Record) []byte {
	w.heads++
	return append(append(dst, r.RequestedModel...), ':')
}

func (*words) Tail(dst []byte, r *ledger.Record) []byte {
	for i := range r.Attempts {
		dst = append(append(dst, r.Attempts[i].Target.Model...), ',')
	}
	return append(dst, r.Outcome...)
}

// asking is a record that is about to be opened.
func asking(model string) *ledger.Record {
	r := served("", attempt(model, 1))
	r.RequestedModel, r.Attempts, r.Decision.Plan = model, nil, []decide.Target{{Model: model}}
	return r
}

// Records that are open at the same time keep their heads apart, and END has
// what START said, written once.
func TestARecordEndsWithTheHeadItBeganWith(t *testing.T) {
	codec, sp := &words{}, newFrames()
	book := ledger.NewBook(sp, headroom, codec)
	for range 3 {
		one, two := asking("one"), asking("two")
		require.NoError(t, book.Open(one, tariff{}, 7))
		require.NoError(t, book.Open(two, tariff{}, 7))
		require.Equal(t, "one:one,", sp.starts[one.ID])
		require.Equal(t, "two:two,", sp.starts[two.ID])
		for _, r := range []*ledger.Record{one, two} {
			r.Outcome, r.Attempts = ledger.OK, []ledger.Attempt{attempt("other", 1)}
			require.NoError(t, book.Close(r, tariff{}))
		}
		require.Equal(t, "one:other,ok", sp.ends[one.ID])
		require.Equal(t, "two:other,ok", sp.ends[two.ID])
	}
	require.Equal(t, 6, codec.heads)
}

// A request that was refused never began; and nothing is left of a record in
// the book when it is closed.
func TestARecordWithoutANoteHasItsHeadAllTheSame(t *testing.T) {
	codec, sp := &words{}, newFrames()
	book := ledger.NewBook(sp, headroom, codec)
	r := asking("one")
	for range 2 {
		r.Outcome = ledger.Rejected
		require.NoError(t, book.Close(r, tariff{}))
		require.Equal(t, "one:rejected", sp.ends[r.ID])
	}
	require.NoError(t, book.Open(r, tariff{}, 7))
	require.NoError(t, book.Close(r, tariff{}))
	r.RequestedModel = "three"
	require.NoError(t, book.Close(r, tariff{}))
	require.Equal(t, "three:rejected", sp.ends[r.ID])
}

// unlucky panics in its first START.
type unlucky struct {
	*frames
	panicked bool
}

func (u *unlucky) Start(id [16]byte, buf []byte) error {
	if !u.panicked {
		u.panicked = true
		panic("unlucky")
	}
	return u.frames.Start(id, buf)
}

// What was expected of a request is not told of it when it is closed after a
// panic.
func TestAPanicLeavesNothingExpected(t *testing.T) {
	sp := &unlucky{frames: newFrames()}
	book := ledger.NewBook(sp, headroom, &words{})
	r := asking("one")
	require.Panics(t, func() { _ = book.Open(r, tariff{"one": 1_000_000}, 7) })
	require.Empty(t, r.Attempts)
	require.Zero(t, r.Usage)
	require.False(t, r.Estimated)
	require.NoError(t, book.Close(r, tariff{}))
	require.Equal(t, "one:", sp.ends[r.ID])
}

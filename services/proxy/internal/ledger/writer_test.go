package ledger_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// frames is a spool that holds what was written, by id.
type frames struct{ starts, ends map[[16]byte]string }

func newFrames() *frames {
	return &frames{starts: map[[16]byte]string{}, ends: map[[16]byte]string{}}
}

func (f *frames) Start(id [16]byte, buf []byte) error {
	f.starts[id] = string(buf[headroom:])
	clear(buf[:headroom]) // a spool writes its header there
	return nil
}

func (f *frames) End(id [16]byte, buf []byte) error {
	f.ends[id] = string(buf[headroom:])
	return nil
}

func (*frames) Forget([16]byte) {}

// words is a codec that writes readable text and counts the heads.
type words struct{ heads int }

func (w *words) AppendHead(dst []byte, r *ledger.Record) []byte {
	w.heads++
	return append(append(dst, r.RequestedModel...), ':')
}

func (*words) AppendComparison(dst []byte, c *ledger.Comparison) []byte {
	return append(dst, c.Experiment...)
}

func (*words) AppendFeedback(dst []byte, f *ledger.Feedback) []byte {
	return append(dst, "feedback of "+f.AccountID...)
}

func (*words) AppendTail(dst []byte, r *ledger.Record) []byte {
	for i := range r.Attempts {
		dst = append(append(dst, r.Attempts[i].Candidate.Model...), ',')
	}
	return append(dst, r.Outcome...)
}

// asking returns a record before Start.
func asking(model string) *ledger.Record {
	r := served("", attempt(model, 1))
	r.RequestedModel, r.Attempts, r.Decision.Plan = model, nil, []decide.Candidate{{Model: model}}
	return r
}

// Records in progress have separate heads. The head is encoded once, and END contains the same
// head as START.
func TestARecordEndsWithTheHeadItBeganWith(t *testing.T) {
	codec, sp := &words{}, newFrames()
	book := ledger.NewWriter(sp, headroom, codec)
	for range 3 {
		one, two := asking("one"), asking("two")
		require.NoError(t, book.Start(one, tariff{}, 7))
		require.NoError(t, book.Start(two, tariff{}, 7))
		require.Equal(t, "one:one,", sp.starts[one.ID])
		require.Equal(t, "two:two,", sp.starts[two.ID])
		for _, r := range []*ledger.Record{one, two} {
			r.Outcome, r.Attempts = ledger.OK, []ledger.Attempt{attempt("other", 1)}
			require.NoError(t, book.Finish(r, tariff{}))
		}
		require.Equal(t, "one:other,ok", sp.ends[one.ID])
		require.Equal(t, "two:other,ok", sp.ends[two.ID])
	}
	require.Equal(t, 6, codec.heads)
}

// A rejected request has no START. After Finish the writer holds nothing of a record.
func TestARecordWithoutANoteHasItsHeadAllTheSame(t *testing.T) {
	codec, sp := &words{}, newFrames()
	book := ledger.NewWriter(sp, headroom, codec)
	r := asking("one")
	for range 2 {
		r.Outcome = ledger.Rejected
		require.NoError(t, book.Finish(r, tariff{}))
		require.Equal(t, "one:rejected", sp.ends[r.ID])
	}
	require.NoError(t, book.Start(r, tariff{}, 7))
	require.NoError(t, book.Finish(r, tariff{}))
	r.RequestedModel = "three"
	require.NoError(t, book.Finish(r, tariff{}))
	require.Equal(t, "three:rejected", sp.ends[r.ID])
}

// unlucky panics in its first Start.
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

// After a panic the record does not contain the assumed attempt.
func TestAPanicLeavesNothingExpected(t *testing.T) {
	sp := &unlucky{frames: newFrames()}
	book := ledger.NewWriter(sp, headroom, &words{})
	r := asking("one")
	require.Panics(t, func() { _ = book.Start(r, tariff{"one": 1_000_000}, 7) })
	require.Empty(t, r.Attempts)
	require.Zero(t, r.Usage)
	require.False(t, r.Estimated)
	require.NoError(t, book.Finish(r, tariff{}))
	require.Equal(t, "one:", sp.ends[r.ID])
}

// Feedback is one END frame without a START, as a rejected request is.
func TestFeedbackIsAnEndFrame(t *testing.T) {
	sp := newFrames()
	f := &ledger.Feedback{ID: uuid.Must(uuid.NewV7()), AccountID: "acc"}
	require.NoError(t, ledger.NewWriter(sp, headroom, &words{}).WriteFeedback(f))
	require.Equal(t, "feedback of acc", sp.ends[f.ID])
}

package signals

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func asks(text string, after time.Duration) *record.Record {
	r := answered(record.ProtocolChat, `{"messages":[{"role":"user","content":"`+text+`"}]}`, chatSays("ok then", "stop"))
	r.Time, r.User, r.Reason.Code = base.Add(after), "ann", "CHEAPEST"
	return r
}

func TestTheSameQuestionAgain(t *testing.T) {
	const question = "What is the capital of France?"
	for name, c := range map[string]struct {
		second *record.Record
		change func(*record.Record)
		want   bool
	}{
		"again":           {asks("what is  the capital of france?", time.Minute), nil, true},
		"much later":      {asks(question, time.Hour), nil, false},
		"another one":     {asks("What is the capital of Spain?", time.Minute), nil, false},
		"another user":    {asks(question, time.Minute), func(r *record.Record) { r.User = "bob" }, false},
		"another key":     {asks(question, time.Minute), func(r *record.Record) { r.KeyID = "k2" }, false},
		"another account": {asks(question, time.Minute), func(r *record.Record) { r.AccountID = "other" }, false},
		"a retry":         {asks(question, time.Minute), func(r *record.Record) { r.ClientRetry = 1 }, false},
		"a side call":     {asks(question, time.Minute), func(r *record.Record) { r.SideCall = true }, false},
		"without text":    {asks(question, time.Minute), func(r *record.Record) { r.Content = nil }, false},
	} {
		first := asks(question, 0)
		if c.change != nil {
			c.change(c.second)
		}
		got := examine(first, c.second)
		if !c.want {
			require.Empty(t, got, name)
			continue
		}
		require.Equal(t, []evidence.Kind{evidence.AskedAgain}, kinds(got), name)
		require.Equal(t, first.ID, got[0].RequestID, "the first response was the bad one")
	}
	require.Empty(t, examine(asks("hello", 0), asks("hello", time.Second)), "short words say nothing")
	same := asks(question, 0)
	require.Empty(t, examine(same, same), "a record that comes twice")
}

func TestAnExplicitModelAfterAuto(t *testing.T) {
	named := func(model string, after time.Duration) *record.Record {
		r := asks("and now something else entirely", after)
		r.Reason.Code, r.Model, r.Content = "EXPLICIT_MODEL", model, nil
		return r
	}
	first := asks("What is the capital of France?", 0)
	got := examine(first, named("large", time.Minute))
	require.Equal(t, []evidence.Kind{evidence.SwitchedModel}, kinds(got))
	require.Equal(t, first.ID, got[0].RequestID)
	require.Empty(t, examine(first, named("small", time.Minute)), "the same model")
	require.Empty(t, examine(first, named("large", time.Hour)), "much later")
	require.Empty(t, examine(named("small", 0), named("large", time.Minute)), "it was no choice of auto")
}

func TestTheMemoryOfQuestionsIsBounded(t *testing.T) {
	q := newRecentQuestions(3)
	for i := range 10 {
		r := asks("What is the capital of France?", time.Duration(i))
		r.User = fmt.Sprint("user", i)
		require.Empty(t, q.compare(r, nil))
	}
	require.Len(t, q.entries, 3)
	require.Equal(t, 3, q.order.Len())
}

// Under load the last records of a batch are left out, and the result says so.
func TestTheTimeForABatchIsBounded(t *testing.T) {
	d := NewDetector()
	clock := base
	d.now = func() time.Time { clock = clock.Add(10 * time.Millisecond); return clock }
	var all []*record.Record
	for range 100 {
		all = append(all, answered(record.ProtocolChat, plainChat, chatSays("", "stop")))
	}
	skipped := 0
	for i, r := range d.Examine(all) {
		require.NotEqual(t, r.Skipped, len(r.Signals) > 0, i)
		if r.Skipped {
			skipped++
		}
	}
	require.Equal(t, 100-47, skipped)
}

func BenchmarkExamine(b *testing.B) {
	d := NewDetector()
	for name, r := range map[string]*record.Record{
		"schema": answered(record.ProtocolChat, schemaChat, chatSays(`{"city":"Paris","size":2}`, "stop")),
		"2 KB":   asks(strings.Repeat("What is the capital of France, and why? ", 50), 0),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.Examine([]*record.Record{r})
			}
		})
	}
}

// Clients send bodies that a strict parser rejects.
func TestReadOddBodies(t *testing.T) {
	require.Equal(t, "b", parseWhole([]byte(`{"a":"a","a":"b"}`), 0).text("a"), "the last value of a name counts")
	require.Equal(t, "\ufffd", parseWhole([]byte("{\"a\":\"\xff\"}"), 0).text("a"))
	require.Nil(t, parseWhole([]byte(`{"a":1} {}`), 0))
	require.Nil(t, parseWhole([]byte(`[1]`), 0))
}

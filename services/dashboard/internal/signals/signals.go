// Package signals finds out without a rating that a response was probably bad: it is
// empty or truncated, it is not the JSON that was asked for, the model refused, called tools
// wrongly or repeated itself, the client stopped it, asked the same question again or named
// another model. A Detector examines the records of a batch before they are stored.
//
// Signals that need text are found only where the text is captured. The others come from the
// fields of the record. The Detector remembers the last question of each client of an
// account for a few minutes, as a hash, in bounded memory; accounts never share an entry. It
// spends a bounded time on a batch: under load, the last records of a batch are not examined.
package signals

import (
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// batchTime is how long the records of one batch may be examined. A batch of 1,000 records
// takes Postgres about 65 ms, so that ingest stays the slower part.
const batchTime = 25 * time.Millisecond

// Detector examines records. Use it from one goroutine.
type Detector struct {
	recent *recentQuestions
	now    func() time.Time
}

// NewDetector returns a Detector that has seen nothing.
func NewDetector() *Detector { return &Detector{recent: newRecentQuestions(maxRecent), now: time.Now} }

// Result is what Examine found in one record.
type Result struct {
	// Signals are about the response of the record, or about the one before it.
	Signals []evidence.Item
	// Skipped means that there was no time to examine the record.
	Skipped bool
}

// Examine examines the records of a batch, in order. It must see each batch once, because
// it compares each record with those before.
func (d *Detector) Examine(all []*record.Record) []Result {
	results := make([]Result, len(all))
	deadline, late := d.now().Add(batchTime), false
	for i, r := range all {
		late = late || i%16 == 15 && d.now().After(deadline)
		if results[i].Skipped = late; !late && r.HasResponse() {
			results[i].Signals = d.examineOne(r)
		}
	}
	return results
}

func (d *Detector) examineOne(r *record.Record) []evidence.Item {
	f := finder{record: r, found: map[evidence.Kind]string{}}
	f.readFields()
	c := readConversation(r)
	if c != nil {
		f.readResponse(c)
	}
	var items []evidence.Item
	for _, k := range evidence.Kinds() {
		if reason, ok := f.found[k]; ok {
			items = append(items, evidence.NewSignal(r.AccountID, r.ID, k, reason, r.Time))
		}
	}
	return append(items, d.recent.compare(r, c)...)
}

// finder collects the signals of one response with their reasons.
type finder struct {
	record *record.Record
	found  map[evidence.Kind]string
}

func (f *finder) add(k evidence.Kind, reason string) {
	if _, ok := f.found[k]; !ok {
		f.found[k] = reason
	}
}

// readFields finds the signals that need no text.
func (f *finder) readFields() {
	r := f.record
	if r.Outcome == record.OutcomeClientClosed {
		if r.Stream && r.TTFT > 0 {
			f.add(evidence.Stopped, "the client closed the stream")
		}
		return
	}
	if r.Tokens.Output == 0 && r.CostBasis == record.CostFinal {
		f.add(evidence.Empty, "the response has no output tokens")
	}
	if in := r.Inputs; in != nil && in.MaxOutputTokens > 0 && r.Tokens.Output >= in.MaxOutputTokens {
		f.add(evidence.Truncated, "the response has as many tokens as the request allows")
	}
}

// readResponse finds the signals in the text. A response that the client stopped is not
// complete, so its text says nothing.
func (f *finder) readResponse(c *conversation) {
	if f.record.Outcome != record.OutcomeOK || !c.hasResponse {
		return
	}
	switch {
	case c.finish == finishLength:
		f.add(evidence.Truncated, "the model stopped at the limit of output tokens")
	case c.finish == finishRefusal || isRefusal(c.text):
		f.add(evidence.Refusal, "the model refused to answer")
	case c.text == "" && len(c.calls) == 0:
		f.add(evidence.Empty, "the response has neither text nor tool calls")
	case f.record.Capture != record.CaptureFull:
		// Redaction may have changed JSON.
	case c.wantsJSON && len(c.calls) == 0:
		f.checkJSON(c)
	}
	f.checkCalls(c)
	if repeatsItself(c.text) {
		f.add(evidence.Loop, "the response repeats the same text")
	}
}

func (f *finder) checkJSON(c *conversation) {
	value, err := parseJSON(c.text)
	if err != nil {
		f.add(evidence.InvalidJSON, "the response is not valid JSON")
		return
	}
	if problem := checkSchema(c.schema, value); problem != "" {
		f.add(evidence.InvalidJSON, problem)
	}
}

func (f *finder) checkCalls(c *conversation) {
	if f.record.Capture != record.CaptureFull {
		return
	}
	for _, call := range c.calls {
		if c.lastCall != nil && *c.lastCall == call {
			f.add(evidence.Loop, "the model repeats the tool call before")
		}
		if c.finish == finishLength {
			continue // the arguments may be cut off
		}
		schema, offered := c.tools[call.name]
		arguments, err := parseJSON(call.arguments)
		switch {
		case len(c.tools) > 0 && !offered:
			f.add(evidence.InvalidToolArguments, "the model called a tool that the request does not offer")
		case err != nil:
			f.add(evidence.InvalidToolArguments, "the arguments of a tool call are not valid JSON")
		default:
			if problem := checkSchema(schema, arguments); problem != "" {
				f.add(evidence.InvalidToolArguments, problem)
			}
		}
	}
}

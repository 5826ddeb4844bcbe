package decidepb

import (
	"errors"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

var errDamaged = errors.New("the router's response cannot be decoded")

// StreamResponse is the content of a routerv1.DecideStreamResponse.
type StreamResponse struct {
	ID uint64
	// Decision has no plan if the router rejected the request, or if the response has no result
	// that this version knows.
	Decision *decide.Decision
	// Refusal is the error with which the router rejected the request, or nil.
	Refusal error
}

// Decode decodes an encoded response. It reads the fields by hand, because a proxy pays for it with
// each request. The texts share the memory of the message, and each list is allocated once.
// BenchmarkResponse compares it with the generated code, and a test compares the results.
func (s *StreamResponse) Decode(message string) error {
	*s = StreamResponse{Decision: new(decide.Decision)}
	r := wireReader{rest: message}
	for r.next() {
		switch r.tag {
		case 1<<3 | varintType:
			s.ID = r.number
		case 2<<3 | bytesType:
			if s.Refusal != nil { // of several results, the last one counts
				s.Decision, s.Refusal = new(decide.Decision), nil
			}
			r.isDamaged = !decodeDecideResponse(r.text, s.Decision)
		case 3<<3 | bytesType: // rare, so the generated code is fast enough
			var refusal routerv1.Refusal
			r.isDamaged = proto.Unmarshal([]byte(r.text), &refusal) != nil
			s.Decision, s.Refusal = ToDecision(refusal.GetKnown()), ToRefusal(&refusal)
		}
	}
	if r.isDamaged {
		return errDamaged
	}
	// Sort once, because a message can contain its decision in many parts.
	d := s.Decision
	d.Features, d.Qualities = d.Features.SortUnique(), d.Qualities.SortUnique()
	return nil
}

// The following functions decode one message each. They return false if it is damaged.

func decodeDecideResponse(message string, d *decide.Decision) bool {
	r := wireReader{rest: message}
	for r.next() {
		if r.tag == 1<<3|bytesType {
			r.isDamaged = !decodeDecision(r.text, d)
		}
	}
	return !r.isDamaged
}

func decodeDecision(message string, d *decide.Decision) bool {
	counts := countFields(message)
	d.Plan, d.Verdicts = slices.Grow(d.Plan, counts[1]), slices.Grow(d.Verdicts, counts[5])
	d.Features, d.Qualities = slices.Grow(d.Features, counts[10]), slices.Grow(d.Qualities, counts[12])
	r := wireReader{rest: message}
	for r.next() {
		r.isDamaged = !decodeDecisionField(&r, d)
	}
	return !r.isDamaged
}

func decodeDecisionField(r *wireReader, d *decide.Decision) bool {
	switch r.tag {
	case 1<<3 | bytesType:
		d.Plan = append(d.Plan, decide.Candidate{})
		return decodeCandidate(r.text, &d.Plan[len(d.Plan)-1])
	case 2<<3 | bytesType:
		return decodeCandidate(r.text, &d.HealthyFirst)
	case 3<<3 | bytesType:
		return decodeTexts(r.text, &d.Reason.Code, &d.Reason.Text, &d.Reason.Rule)
	case 4<<3 | varintType:
		d.PolicyControlled = r.number != 0
	case 5<<3 | bytesType:
		d.Verdicts = append(d.Verdicts, decide.Verdict{})
		return decodeVerdict(r.text, &d.Verdicts[len(d.Verdicts)-1])
	case 6<<3 | bytesType:
		d.Baseline = r.text
	case 7<<3 | bytesType:
		d.PolicyVersion = r.text
	case 8<<3 | bytesType:
		d.CatalogVersion = r.text
	case 9<<3 | bytesType:
		d.EngineVersion = r.text
	case 10<<3 | bytesType:
		return appendNamedValue(r.text, &d.Features)
	case 11<<3 | bytesType:
		if d.Sticky == nil {
			d.Sticky = new(decide.Candidate)
		}
		return decodeCandidate(r.text, d.Sticky)
	case 12<<3 | bytesType:
		return appendNamedValue(r.text, &d.Qualities)
	case 13<<3 | bytesType:
		d.Predictor = r.text
	}
	return true
}

// decodeTexts decodes a message whose fields are texts with the numbers from 1.
func decodeTexts(message string, fields ...*string) bool {
	r := wireReader{rest: message}
	for r.next() {
		if i := r.tag>>3 - 1; r.tag&7 == bytesType && i < uint64(len(fields)) {
			*fields[i] = r.text
		}
	}
	return !r.isDamaged
}

func decodeCandidate(message string, c *decide.Candidate) bool {
	return decodeTexts(message, &c.Model, &c.Provider, &c.Effort)
}

func decodeVerdict(message string, v *decide.Verdict) bool {
	r := wireReader{rest: message}
	for r.next() {
		switch r.tag {
		case 1<<3 | bytesType:
			r.isDamaged = !decodeCandidate(r.text, &v.Candidate)
		case 2<<3 | bytesType:
			v.Code = r.text
		case 3<<3 | bytesType:
			v.Text = r.text
		case 4<<3 | varintType:
			v.PredictedCost = decide.KnownInt(r.int64())
		case 5<<3 | varintType:
			v.Latency = r.int64()
		case 6<<3 | varintType:
			v.Quality = r.int64()
		case 7<<3 | bytesType:
			v.DownReason = r.text
		case 8<<3 | varintType:
			v.SessionCost = decide.KnownInt(r.int64())
		case 9<<3 | varintType:
			v.OutputTokens = r.int64()
		}
	}
	return !r.isDamaged
}

func appendNamedValue(message string, values *decide.NamedValues) bool {
	var v decide.NamedValue
	r := wireReader{rest: message}
	for r.next() {
		switch r.tag {
		case 1<<3 | bytesType:
			v.Name = r.text
		case 2<<3 | varintType:
			v.Value = r.int64()
		}
	}
	*values = append(*values, v)
	return !r.isDamaged
}

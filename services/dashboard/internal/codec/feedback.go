package codec

import (
	"errors"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/feedback"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// FeedbackSchema is the schema of an entry that contains feedback instead of a request.
const FeedbackSchema = 2

// Entry is what a proxy sent: the record of a request, feedback on requests, or a
// comparison.
type Entry struct {
	// Record is nil if the entry contains something else. So is Comparison.
	Record     *record.Record
	Feedback   []evidence.Item
	Comparison *evidence.Comparison
}

// DecodeEntry decodes an entry of a proxy. Its errors are those of Decode.
func DecodeEntry(raw []byte) (Entry, error) {
	switch schema := readSchema(raw); {
	case schema > ComparisonSchema:
		return Entry{}, &SchemaError{schema}
	case schema == ComparisonSchema:
		c, err := decodeComparison(raw)
		return Entry{Comparison: c}, err
	case schema == FeedbackSchema:
		items, err := decodeFeedback(raw)
		return Entry{Feedback: items}, err
	}
	r, err := Decode(raw)
	return Entry{Record: r}, err
}

func decodeFeedback(raw []byte) ([]evidence.Item, error) {
	var m recordv1.RequestRecord
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, errors.New("the data is not encoded feedback")
	}
	id, err := uuid.FromBytes(m.GetId())
	switch {
	case err != nil || id.Version() != 7:
		return nil, errors.New("the id of the feedback is not a UUIDv7")
	case m.GetAccountId() == "" || len(m.GetAccountId()) > maxText:
		return nil, errors.New("the feedback has no account id, or one that is too long")
	}
	var items []evidence.Item
	for _, f := range firstItems(m.GetFeedback(), feedback.MaxItems) {
		item, err := feedbackFromProto(f)
		if err != nil {
			return nil, err
		}
		item.AccountID, item.Created = m.GetAccountId(), recordTime(m.GetTime(), id)
		items = append(items, item)
	}
	return items, nil
}

func feedbackFromProto(f *recordv1.Feedback) (evidence.Item, error) {
	id, err := uuid.FromBytes(f.GetRequestId())
	if err != nil || id.Version() != 7 || f.GetScore() < 0 || f.GetScore() > feedback.MaxScore {
		return evidence.Item{}, errors.New("the feedback has an invalid request id or score")
	}
	return evidence.Item{
		RequestID: id, Kind: evidence.Feedback, Source: limitLabel(f.GetSource()), Score: f.GetScore(),
		Weight: evidence.WeightOf(evidence.Feedback), Reason: Truncate(CleanText(f.GetReason()), maxReason),
	}, nil
}

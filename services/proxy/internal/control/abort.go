package control

import (
	"fmt"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Abort turns the note of a request that a proxy died with into its record: it
// is the note, with the outcome.
func Abort(note []byte) ([]byte, error) {
	var r recordv1.RequestRecord
	if err := proto.Unmarshal(note, &r); err != nil {
		return nil, fmt.Errorf("decode note: %w", err)
	}
	if _, err := uuid.FromBytes(r.GetId()); err != nil {
		return nil, fmt.Errorf("decode note: %w", err)
	}
	r.Outcome = recordv1.Outcome_OUTCOME_ABORTED
	r.BaselineNanoUsd, r.BaselineCosts, r.BaselinePrice = new(int64), &recordv1.Costs{}, nil
	return proto.Marshal(&r)
}

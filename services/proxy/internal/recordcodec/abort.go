package recordcodec

import (
	"fmt"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// AbortedRecord turns the START frame of a request into a record with the outcome "aborted". The
// START frame is the part of a record that is written before the first upstream call. A request
// that was in progress when a proxy crashed has only this part.
func AbortedRecord(start []byte) ([]byte, error) {
	var r recordv1.RequestRecord
	if err := proto.Unmarshal(start, &r); err != nil {
		return nil, fmt.Errorf("decode start frame: %w", err)
	}
	if _, err := uuid.FromBytes(r.GetId()); err != nil {
		return nil, fmt.Errorf("decode start frame: %w", err)
	}
	r.Outcome = recordv1.Outcome_OUTCOME_ABORTED
	r.BaselineNanoUsd, r.BaselineCosts, r.BaselinePrice = new(int64), &recordv1.Costs{}, nil
	return proto.Marshal(&r)
}

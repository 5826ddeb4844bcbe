package recordcodec

import (
	"time"

	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// SummarizeStart shortens the START frame of a request to what a list shows: the caller,
// the requested model, and the candidate that is called first. It drops the inputs of the
// decision, the costs and the address of the client. ok is false for other frames.
func SummarizeStart(start []byte) (account string, began time.Time, summary []byte, ok bool) {
	var r recordv1.RequestRecord
	if err := proto.Unmarshal(start, &r); err != nil || r.GetSchema() != recordSchema || r.GetTime() == nil {
		return "", time.Time{}, nil, false
	}
	short := &recordv1.RequestRecord{
		Schema: r.GetSchema(), Id: r.GetId(), AccountId: r.GetAccountId(), KeyId: r.GetKeyId(), KeyName: r.GetKeyName(), Time: r.GetTime(),
		Endpoint: r.GetEndpoint(), Stream: r.GetStream(), RequestedModel: r.GetRequestedModel(), Outcome: recordv1.Outcome_OUTCOME_OK,
		Protocol: r.GetProtocol(), Agent: r.GetAgent(), Session: r.GetSession(), User: r.GetUser(), SideCall: r.GetSideCall(),
	}
	if all := r.GetAttempts(); len(all) > 0 {
		short.Model, short.Provider = all[0].GetModel(), all[0].GetProvider()
	}
	summary, err := proto.Marshal(short)
	return r.GetAccountId(), r.GetTime().AsTime(), summary, err == nil
}

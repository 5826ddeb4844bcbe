package record_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func TestRunningRequestsMatchByWhatIsKnownAtTheirStart(t *testing.T) {
	began := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	r := &record.Running{Record: record.Record{
		ID: uuid.MustParse("0198c0de-0000-7000-8000-000000000001"), Time: began, AccountID: "a", KeyID: "k1", KeyName: "prod-web",
		RequestedModel: "auto", Model: "small", Protocol: record.ProtocolChat, User: "u-1", Stream: true,
	}}
	for filter, want := range map[string]bool{
		"": true, "key:prod-web": true, "key:k1": true, "key:prod*": true, "key:other": false, "key:other key:k1": true,
		"-key:prod-web": false, "-key:other": true, "requested_model:auto stream:true": true, "stream:false": false,
		"user:*": true, "session:*": false, "-session:*": true, "protocol:chat": true, "id:0198c0de-0000": false, "id:0198c0de-0000*": true,
		// Known only at the end.
		"model:small": false, "-model:large": false, "status:200": false, "outcome:ok": false, "cost:>0": false, "has:error": false, "hello": false, "tag:eu": false,
	} {
		terms, err := record.ParseFilter(filter)
		require.NoError(t, err, filter)
		require.Equal(t, want, record.Query{Account: "a", Terms: terms}.MatchesRunning(r), filter)
	}
	require.False(t, record.Query{Account: "b"}.MatchesRunning(r), "of another account")
	require.False(t, record.Query{Account: "a", From: began.Add(time.Second)}.MatchesRunning(r))
	require.False(t, record.Query{Account: "a", To: began}.MatchesRunning(r))
}

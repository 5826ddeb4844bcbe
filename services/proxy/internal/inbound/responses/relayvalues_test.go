package responses_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

// storedEvents are events of every kind that contains a response.
var storedEvents = []string{
	`{"type":"response.created","response":{"id":"resp_up","model":"gpt-up","previous_response_id":"resp_old","store":true},"sequence_number":0}`,
	`{"response":{"previous_response_id" : "resp_old","store":true, "id":"resp_up","model":"gpt-up"},"type":"response.in_progress","sequence_number":1}`,
	`{"type":"response.queued","response":{"id":"r\u0065sp_up","previous_response_id":null},"sequence_number":2}`,
	`{"type":"response.output_text.delta","delta":"resp_up","response_id":"resp_up","item":{"id":"resp_up"},"sequence_number":3}`,
	`{"type":"response.completed","response":{"output":[{"id":"resp_up","model":"gpt-up"}],"model":"gpt-up","id":"resp_up","metadata":{"id":"resp_up"},"usage":null},"sequence_number":4}`,
}

func TestRelayWrapsTheIDsOfStoredResponses(t *testing.T) {
	o := options
	o.Store = true
	o.WrapID = func(id string) (string, bool) { return "wrap-" + id, true }
	want := []string{
		`{"type":"response.created","response":{"id":"wrap-resp_up","model":"claude-x","previous_response_id":"wrap-resp_old","store":true},"sequence_number":0}`,
		`{"response":{"previous_response_id" : "wrap-resp_old","store":true, "id":"wrap-resp_up","model":"claude-x"},"type":"response.in_progress","sequence_number":1}`,
		`{"type":"response.queued","response":{"id":"wrap-resp_up","previous_response_id":null},"sequence_number":2}`,
		`{"type":"response.output_text.delta","delta":"resp_up","response_id":"wrap-resp_up","item":{"id":"resp_up"},"sequence_number":3}`,
		`{"type":"response.completed","response":{"output":[{"id":"resp_up","model":"gpt-up"}],"model":"claude-x","id":"wrap-resp_up","metadata":{"id":"resp_up"},"usage":null},"sequence_number":4}`,
	}
	r := responses.Protocol{}.NewRelay(o)
	for i, payload := range storedEvents {
		dst, err := r.AppendEvent(nil, []byte(payload))
		require.NoError(t, err)
		_, data, _ := strings.Cut(string(dst), "\ndata: ")
		require.Equal(t, want[i]+"\n\n", data)
	}
	r = responses.Protocol{}.NewRelay(o)
	_, err := r.AppendEvent(nil, []byte(storedEvents[0]))
	require.NoError(t, err)
	require.Contains(t, string(r.AppendError(nil, apperr.New(apperr.ProviderInterrupted, "x"), apperr.Options{})), `"id":"wrap-resp_up"`)
}

// The id of a response that is not stored stays, but not that of the response that it continues.
func TestRelayLeavesOtherIDs(t *testing.T) {
	const body = `{"id":"resp_up","previous_response_id":"resp_old","store":%s,"output":[],"model":"gpt-up"}`
	o := options
	o.WrapID = func(id string) (string, bool) { return "wrap-" + id, true }
	for _, tt := range []struct {
		wants   bool
		says    string
		wrapped bool
	}{{true, "true", true}, {true, "null", true}, {false, "true", true}, {false, "false", false}, {false, "null", false}} {
		o.Store = tt.wants
		give := strings.Replace(body, "%s", tt.says, 1)
		want := strings.Replace(strings.Replace(give, "gpt-up", "claude-x", 1), `"resp_old"`, `"wrap-resp_old"`, 1)
		if tt.wrapped {
			want = strings.Replace(want, `"resp_up"`, `"wrap-resp_up"`, 1)
		}
		got, err := responses.Protocol{}.RelayBody([]byte(give), o)
		require.NoError(t, err)
		require.Equal(t, want, string(got.Body))
	}
	o.WrapID = func(string) (string, bool) { return "", false }
	got, err := responses.Protocol{}.RelayBody([]byte(`{"id":"resp_up","previous_response_id":"resp_old","store":true,"output":[]}`), o)
	require.NoError(t, err)
	require.Equal(t, `{"id":"resp_up","previous_response_id":"resp_old","store":true,"output":[]}`, string(got.Body), "the credential signs nothing")
}

func TestWrapStored(t *testing.T) {
	o := options
	o.WrapID = func(id string) (string, bool) { return "wrap-" + id, true }
	for give, want := range map[string]string{
		`{"id":"a","object":"response","deleted":true}`:                    `{"id":"wrap-a","object":"response","deleted":true}`,
		`{"status":"failed","error":{"code":"x"},"id":"a","model":"gpt"}`:  `{"status":"failed","error":{"code":"x"},"id":"wrap-a","model":"gpt"}`,
		`{"object":"list","data":[{"id":"msg_1"}],"first_id":"msg_1"}`:     `{"object":"list","data":[{"id":"msg_1"}],"first_id":"msg_1"}`,
		`{"previous_response_id":"b", "store":false,"id":"a","output":[]}`: `{"previous_response_id":"wrap-b", "store":false,"id":"wrap-a","output":[]}`,
	} {
		got, ok := responses.WrapStored([]byte(give), o)
		require.True(t, ok)
		require.Equal(t, want, string(got))
	}
	for _, give := range []string{"", "[]", `{"id":`, `"x"`} {
		_, ok := responses.WrapStored([]byte(give), o)
		require.False(t, ok, give)
	}
}

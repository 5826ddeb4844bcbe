package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Accounts share the credentials of a provider, so an id could belong to another account.
func TestStoredObjectsAreNotForwarded(t *testing.T) {
	v := newVendors(t, "gpt")
	for param, body := range map[string]string{
		"previous_response_id": `{"model":"gpt","input":"hi","previous_response_id":"resp_1"}`,
		"conversation":         `{"model":"gpt","input":"hi","conversation":"conv_1"}`,
		"prompt":               `{"model":"gpt","input":"hi","prompt":{"id":"pmpt_1"}}`,
		"background":           `{"model":"gpt","input":"hi","background":true}`,
		"item_reference":       `{"model":"gpt","input":[{"type":"item_reference","id":"msg_1"}]}`,
		"file_id":              `{"model":"gpt","input":[{"role":"user","content":[{"type":"input_text","text":"a","file_id":"file_1"}]}]}`,
	} {
		res, text := v.send(t, http.MethodPost, "/proxy/v1/responses", body, testKey)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
		require.Contains(t, text, `"param":"`+param+`"`)
	}
	for param, give := range map[string][2]string{
		"container":      {"/proxy/v1/messages", `{"model":"opus","max_tokens":1,"messages":[{"role":"user","content":"hi"}],"container":"c_1"}`},
		"cached_content": {"/proxy/v1beta/models/flash:generateContent", `{"contents":[{"parts":[{"text":"hi"}]}],"cachedContent":"cachedContents/1"}`},
		"file_id":        {"/proxy/v1beta/models/flash:generateContent", `{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/1"}}]}]}`},
	} {
		res, text := v.send(t, http.MethodPost, give[0], give[1], testKey)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
		require.Contains(t, text, `"param":"`+param+`"`)
	}
	require.Empty(t, v.open.Received())
	require.Empty(t, v.claude.Received())
	require.Empty(t, v.google.Received())
}

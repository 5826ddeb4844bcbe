package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// The gateway hands out no such ids, and accounts share the credentials of a provider. So an id
// could belong to another account.
func TestForeignObjectsAreNotFound(t *testing.T) {
	v := newVendors(t, "gpt")
	for body, param := range map[string]string{
		`"input":"hi","previous_response_id":"resp_1"`:                                                                "previous_response_id",
		`"input":"hi","conversation":"conv_1"`:                                                                        "conversation",
		`"input":"hi","prompt":{"id":"pmpt_1"}`:                                                                       "prompt",
		`"input":[{"type":"item_reference","id":"msg_1"}]`:                                                            "item_reference",
		`"input":[{"id":"msg_1"}]`:                                                                                    "item_reference",
		`"input":[{"role":"user","content":[{"type":"input_text","text":"a","file_id":"file_1"}]}]`:                   "file_id",
		`"input":[{"type":"computer_call_output","call_id":"c","output":{"file_id":"file_1"}}]`:                       "file_id",
		`"input":[{"type":"code_interpreter_call","id":"ci_1","container_id":"cntr_1","code":"x"}]`:                   "container",
		`"input":"hi","tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]`:                                   "vector_store_ids",
		`"input":"hi","tools":[{"container":"cntr_1","type":"code_interpreter"}]`:                                     "container",
		`"input":"hi","tools":[{"type":"code_interpreter","container":{"type":"auto","file_ids":["file_1"]}}]`:        "file_id",
		`"input":"hi","tools":[{"type":"shell","environment":{"type":"container_reference","container_id":"c1"}}]`:    "container",
		`"input":"hi","tools":[{"type":"shell","environment":{"type":"container_auto","skills":[{"skill_id":"s"}]}}]`: "skill_id",
		`"input":"hi","tools":[{"type":"image_generation","input_image_mask":{"file_id":"file_1"}}]`:                  "file_id",
	} {
		for _, model := range []string{"gpt", "opus"} {
			res, text := v.send(t, http.MethodPost, "/proxy/v1/responses", `{"model":"`+model+`",`+body+`}`, testKey)
			require.Equal(t, http.StatusNotFound, res.StatusCode, text)
			requireShape(t, apperr.Responses, apperr.ObjectNotFound, text)
			require.Contains(t, text, `"param":"`+param+`"`)
		}
	}
	for _, give := range []struct{ param, path, body string }{
		{"container", claudePath, messagesBody("opus", `,"container":"c_1"`)},
		{"file_id", claudePath, messagesWith(`{"type":"image","source":{"type":"\u0066ile","file_id":"file_1"}}`)},
		{"file_id", claudePath, messagesWith(`{"type":"container\u005fupload","file_id":"file_1"}`)},
		{"file_id", claudePath, messagesWith(`{"type":"video","source":{"type":"file","file_id":"file_1"}}`)},
		{"cached_content", flashPath, `{"contents":[{"parts":[{"text":"hi"}]}],"cachedContent":"cachedContents/1"}`},
		{"file_search", flashPath, `{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"file_search":{"file_search_store_names":["fileSearchStores/1"]}}]}`},
		{"file_id", flashPath, `{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/1"}}]}]}`},
		{"file_id", chatPath, chatWith("gpt", `{"type":"file","file":{"file_id":"file_1"}}`, "")},
		{"file_id", chatPath, chatWith("opus", `{"type":"document","source":{"type":"file","file_id":"file_1"}}`, "")},
		{"file_id", chatPath, chatWith("opus", `{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"file","file_id":"file_1"}}]}}`, "")},
		{"cached_content", chatPath, chatWith("flash", `{"type":"text","text":"hi"}`, `,"cachedContent":"cachedContents/1"`)},
		{"cached_content", chatPath, chatWith("flash", `{"type":"text","text":"hi"}`, `,"cached_content":"cachedContents/1"`)},
	} {
		res, text := v.send(t, http.MethodPost, give.path, give.body, testKey)
		require.Equal(t, http.StatusNotFound, res.StatusCode, give.body)
		require.Contains(t, text, `"param":"`+give.param+`"`)
		require.Contains(t, text, "OBJECT_NOT_FOUND")
		if give.path == chatPath {
			requireShape(t, apperr.Flat, apperr.ObjectNotFound, text)
		}
	}
	require.Empty(t, v.open.Received())
	require.Empty(t, v.claude.Received())
	require.Empty(t, v.google.Received())
	require.NotEmpty(t, v.records)
	require.Equal(t, "OBJECT_NOT_FOUND", v.records[0].Code)
}

// The paths of requests with one message.
const (
	chatPath   = "/proxy/v1/chat/completions"
	claudePath = "/proxy/v1/messages"
	flashPath  = "/proxy/v1beta/models/flash:generateContent"
)

// messagesWith returns a request of the Messages protocol with one block.
func messagesWith(block string) string {
	return `{"model":"opus","max_tokens":1,"messages":[{"role":"user","content":[` + block + `]}]}`
}

// chatWith returns a chat with one part, and with more members.
func chatWith(model, part, more string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":[` + part + `]}]` + more + `}`
}

func TestBackgroundResponsesAreRefused(t *testing.T) {
	v := newVendors(t, "gpt")
	res, text := v.send(t, http.MethodPost, "/proxy/v1/responses", `{"model":"gpt","input":"hi","background":true}`, testKey)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
	require.Contains(t, text, `"param":"background"`)
	require.Empty(t, v.open.Received())
}

// Tools and items that refer to nothing are forwarded, also if they mention where a text comes from.
func TestToolsWithoutReferencesAreForwarded(t *testing.T) {
	v := newVendors(t, "gpt")
	for _, body := range []string{
		`"input":"hi","tools":[{"type":"code_interpreter","container":{"type":"auto","file_ids":[]}},{"type":"web_search"}]`,
		`"input":[{"role":"user","content":"a"},{"type":"file_search_call","id":"fs_1","queries":["q"],"results":[{"file_id":"file_1","text":"t"}]}]`,
		`"input":[{"role":"assistant","content":[{"type":"output_text","text":"a","annotations":[{"type":"file_citation","file_id":"file_1"}]}]},{"role":"user","content":"b"}]`,
	} {
		before := len(v.open.Received())
		_, text := v.send(t, http.MethodPost, "/proxy/v1/responses", `{"model":"gpt","store":false,`+body+`}`, testKey)
		require.Len(t, v.open.Received(), before+1, text)
	}
}

package requestbody_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

func TestReplacePreviousResponse(t *testing.T) {
	const body = `{ "previous_response_id" : "resp_wrapped" ,"model":"m","input":"a","x":[ 1 ] }`
	r, err := requestbody.ParseResponses([]byte(body))
	require.NoError(t, err)
	got, err := requestbody.ReplacePreviousResponse(r, `up"1`)
	require.NoError(t, err)
	require.Equal(t, `{ "previous_response_id" : "up\"1" ,"model":"m","input":"a","x":[ 1 ] }`, string(got.Body))
	require.Equal(t, `up"1`, got.PreviousResponseID)
	require.Equal(t, body, string(r.Body))

	r, err = requestbody.ParseResponses([]byte(`{"model":"m","input":"a"}`))
	require.NoError(t, err)
	got, err = requestbody.ReplacePreviousResponse(r, "up")
	require.NoError(t, err)
	require.Same(t, r, got)
}

// References are found wherever the vendor reads them.
func TestReferencesOfBuiltInTools(t *testing.T) {
	for tools, want := range map[string][]string{
		`[{"type":"file_search","vector_store_ids":["vs_1"]}]`:                                                       {"vector_store_ids"},
		`[{"type":"file_search","vector_store_ids":[]}]`:                                                             nil,
		`[{"type":"code_interpreter","container":"c"},{"type":"file_search","vector_store_ids":["v"]}]`:              {"container", "vector_store_ids"},
		`[{"type":"code_interpreter","cont\u0061iner":"c"}]`:                                                         {"container"},
		`[{"type":"code_interpreter","container":{"type":"auto"}}]`:                                                  nil,
		`[{"type":"code_interpreter","container":{"type":"auto","file_ids":["f"]}}]`:                                 {"file_id"},
		`[{"type":"namespace","name":"n","tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}]`:             {"vector_store_ids"},
		`[{"type":"function","name":"f","parameters":{"properties":{"file_id":{"type":"string"},"container":"x"}}}]`: nil,
		`[{"type":"mcp","server_label":"l","server_url":"https://x","allowed_tools":["a"]}]`:                         nil,
	} {
		r, err := requestbody.ParseResponses([]byte(`{"model":"m","input":"a","tools":` + tools + `}`))
		require.NoError(t, err, tools)
		require.Equal(t, want, r.NativeOnly, tools)
	}
}

// manyValues is so large that reading it again for every level of nesting takes many seconds.
var manyValues = "[" + strings.Repeat("1,", 1<<21) + "1]"

func TestReferencesInDeepTools(t *testing.T) {
	const depth = 50
	for inner, want := range map[string][]string{`"x":1`: nil, `"file_id":"f"`: {"file_id"}} {
		value := strings.Repeat("[", depth) + `{"many":` + manyValues + `,` + inner + `}` + strings.Repeat("]", depth)
		for body, parse := range map[string]func([]byte) (*requestbody.Request, error){
			`{"model":"m","input":"a","tools":[{"type":"x","a":` + value + `}]}`:                                      requestbody.ParseResponses,
			`{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"a":` + value + `}}]}]}`: requestbody.ParseChat,
		} {
			r, err := parse([]byte(body))
			require.NoError(t, err)
			require.Equal(t, want, r.NativeOnly)
		}
	}
}

// Chats can refer to files of the vendor too.
func TestFilesOfChats(t *testing.T) {
	for part, want := range map[string][]string{
		`{"type":"file","file":{"file_id":"file_1"}}`:                                 {"file_id"},
		`{"type":"file","file":{"file_data":"data:x,y"}}`:                             nil,
		`{"type":"image","source":{"type":"file","file_id":"file_1"}}`:                {"file_id"},
		`{"type":"image","source":{"type":"base64","data":"AA==","file_id":""}}`:      nil,
		`{"type":"image","source":{"type":"url","url":"https://x/a.png"},"text":"a"}`: nil,
	} {
		r, err := requestbody.ParseChat([]byte(`{"model":"m","messages":[{"role":"user","content":[` + part + `]}]}`))
		require.NoError(t, err)
		require.Equal(t, want, r.NativeOnly)
	}
}

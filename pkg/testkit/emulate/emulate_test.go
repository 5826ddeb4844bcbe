package emulate_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// vendor is an emulator on loopback, and how it is called.
type vendor struct {
	*emulate.Server
	url    string
	path   string
	header map[string]string
	// body is a valid request.
	body string
}

func start(t *testing.T, s *emulate.Server) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

func newOpenAI(t *testing.T, o emulate.Options) *vendor {
	s := emulate.OpenAI(o)
	return &vendor{
		s, start(t, s), "/v1/chat/completions", map[string]string{"Authorization": "Bearer k"},
		`{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}`,
	}
}

func newAzure(t *testing.T, o emulate.Options) *vendor {
	s := emulate.Azure(o)
	v := newOpenAI(t, o)
	v.Server, v.url, v.path, v.header = s, start(t, s), "/openai/v1/chat/completions", map[string]string{"Api-Key": "k"}
	return v
}

func newAnthropic(t *testing.T, o emulate.Options) *vendor {
	s := emulate.Anthropic(o)
	return &vendor{
		s, start(t, s), "/v1/messages", map[string]string{"X-Api-Key": "k", "Anthropic-Version": "2023-06-01"},
		`{"model":"claude-opus-4-5","max_tokens":2048,"messages":[{"role":"user","content":"hello"}]}`,
	}
}

func newGemini(t *testing.T, o emulate.Options) *vendor {
	s := emulate.Gemini(o)
	return &vendor{
		s, start(t, s), "/v1beta/models/gemini-3-pro-preview:generateContent", map[string]string{"X-Goog-Api-Key": "k"},
		`{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`,
	}
}

func everyVendor(t *testing.T) map[string]*vendor {
	o := emulate.Options{}
	return map[string]*vendor{"openai": newOpenAI(t, o), "azure": newAzure(t, o), "anthropic": newAnthropic(t, o), "gemini": newGemini(t, o)}
}

// call sends a body unchanged.
func (v *vendor) call(t *testing.T, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+v.path, strings.NewReader(body))
	require.NoError(t, err)
	for name, value := range v.header {
		req.Header.Set(name, value)
	}
	// A connection that one test has broken must not reach another.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	res, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res, string(data), err
}

// saying is the usual request with another text.
func (v *vendor) saying(text string) string { return strings.Replace(v.body, "hello", text, 1) }

// with is the usual request with some fields changed; null removes one.
func (v *vendor) with(t *testing.T, fields string) string {
	t.Helper()
	var body, more map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(v.body), &body))
	require.NoError(t, json.Unmarshal([]byte(fields), &more), fields)
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	out, err := json.Marshal(body)
	require.NoError(t, err)
	return string(out)
}

// refusalDetails is a change of the usual request and the vendor's error.
type refusalDetails struct{ name, fields, want string }

func (v *vendor) refuses(t *testing.T, cases []refusalDetails) {
	res, body, err := v.call(t, v.body)
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, body)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			res, body, err := v.call(t, v.with(t, c.fields))
			require.NoError(t, err)
			require.Equal(t, 400, res.StatusCode, body)
			require.Contains(t, body, c.want)
			book := v.Calls()
			require.Zero(t, book[len(book)-1].Usage, "what was refused costs nothing")
		})
	}
}

func TestCredentials(t *testing.T) {
	o := emulate.Options{Keys: []string{"other"}}
	for name, tt := range map[string]struct {
		v              *vendor
		none, wrong    int
		saying, reason string
	}{
		"openai":    {newOpenAI(t, o), 401, 401, "Authorization header", "invalid_api_key"},
		"azure":     {newAzure(t, o), 401, 401, "invalid subscription key", "invalid subscription key"},
		"anthropic": {newAnthropic(t, o), 401, 401, "x-api-key header is required", "invalid x-api-key"},
		"gemini":    {newGemini(t, o), 403, 400, "unregistered callers", "API_KEY_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			res, body, err := tt.v.call(t, tt.v.body)
			require.NoError(t, err)
			require.Equal(t, tt.wrong, res.StatusCode)
			require.Contains(t, body, tt.reason)
			tt.v.header = map[string]string{"Anthropic-Version": "2023-06-01"}
			res, body, err = tt.v.call(t, tt.v.body)
			require.NoError(t, err)
			require.Equal(t, tt.none, res.StatusCode)
			require.Contains(t, body, tt.saying)
		})
	}
}

func TestBook(t *testing.T) {
	for name, v := range everyVendor(t) {
		t.Run(name, func(t *testing.T) {
			_, _, err := v.call(t, v.body)
			require.NoError(t, err)
			v.Fail("500")
			_, _, err = v.call(t, v.body)
			require.NoError(t, err)
			book := v.Calls()
			require.Len(t, book, 2)
			require.Equal(t, v.body, book[0].Body)
			require.Equal(t, "k", book[0].Key)
			require.Equal(t, v.path, book[0].Path)
			require.Positive(t, book[0].Usage.Input)
			require.Positive(t, book[0].Usage.Output)
			require.Equal(t, []int{200, 500}, []int{book[0].Status, book[1].Status})
			require.Equal(t, "500", book[1].Directives)

			res, err := http.Get(v.url + "/_emulate/book")
			require.NoError(t, err)
			defer res.Body.Close()
			var shown struct {
				Calls   int
				Entries []emulate.Entry
			}
			require.NoError(t, json.NewDecoder(res.Body).Decode(&shown))
			require.Equal(t, 2, shown.Calls)
			require.Equal(t, v.Calls(), shown.Entries)
		})
	}
}

func TestAllHaveTheirPrefixes(t *testing.T) {
	server := httptest.NewServer(emulate.All(emulate.Options{}))
	t.Cleanup(server.Close)
	for name, v := range everyVendor(t) {
		v.url = server.URL + "/" + name
		res, body, err := v.call(t, v.body)
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode, body)
		require.Contains(t, body, "You said: hello")
	}
}

func TestOnlyTheNamedModels(t *testing.T) {
	o := emulate.Options{Models: []string{"gpt-4o", "claude-opus-4-5"}}
	for _, v := range []*vendor{newOpenAI(t, o), newAzure(t, o), newAnthropic(t, o)} {
		for model, want := range map[string]int{"gpt-4o": 200, "gpt-4o-2024-11-20": 200, "gpt-4o-mini": 404, "m": 404} {
			if strings.Contains(v.body, "claude") {
				model = strings.Replace(model, "gpt-4o", "claude-opus-4-5", 1)
			}
			res, _, err := v.call(t, v.with(t, `{"model":"`+model+`"}`))
			require.NoError(t, err)
			require.Equal(t, want, res.StatusCode, model)
		}
	}
}

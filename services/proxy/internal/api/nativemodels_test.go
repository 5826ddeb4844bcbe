package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const version = "Anthropic-Version: 2023-06-01"

type anthropicList struct {
	Data []struct {
		Type, ID    string
		DisplayName string `json:"display_name"`
		CreatedAt   string `json:"created_at"`
	}
	HasMore bool    `json:"has_more"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
}

func (v *vendors) list(t *testing.T, query string) (list anthropicList, ids []string) {
	t.Helper()
	res, body := v.send(t, http.MethodGet, "/proxy/v1/models"+query, "", testKey, version)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.NoError(t, json.Unmarshal([]byte(body), &list), body)
	for _, m := range list.Data {
		require.Equal(t, "model", m.Type)
		require.NotEmpty(t, m.DisplayName)
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, m.CreatedAt)
		ids = append(ids, m.ID)
	}
	return list, ids
}

func TestModelsInTheFormatOfAnthropic(t *testing.T) {
	v := newVendors(t, "opus")
	all := []string{"claude-auto", "auto", "only-open", "auto:economy", "auto:balanced", "auto:quality", "a:b/c", "flash", "gpt", "opus"}
	list, ids := v.list(t, "?limit=1000")
	require.Equal(t, all, ids)
	require.False(t, list.HasMore)
	require.Equal(t, []string{"claude-auto", "opus"}, []string{*list.FirstID, *list.LastID})

	var paged []string
	for query := "?limit=3"; ; query = "?limit=3&after_id=" + *list.LastID {
		list, ids = v.list(t, query)
		paged = append(paged, ids...)
		if !list.HasMore {
			break
		}
		require.Len(t, ids, 3)
	}
	require.Equal(t, all, paged)
	list, ids = v.list(t, "?limit=2&before_id=a:b/c")
	require.Equal(t, []string{"auto:balanced", "auto:quality"}, ids)
	require.True(t, list.HasMore)

	for _, query := range []string{"?limit=0", "?limit=1001", "?limit=x", "?after_id=unknown", "?before_id=unknown"} {
		res, body := v.send(t, http.MethodGet, "/proxy/v1/models"+query, "", testKey, version)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
		requireShape(t, apperr.Anthropic, apperr.InvalidRequest, body)
	}
	require.Empty(t, v.records)
}

func TestOneModelInEveryFormat(t *testing.T) {
	v := newVendors(t, "opus")
	for _, id := range []string{"claude-auto", "opus", "a:b/c", "auto"} {
		res, body := v.send(t, http.MethodGet, "/proxy/v1/models/"+id, "", testKey, version)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Contains(t, body, `{"type":"model","id":"`+id+`","display_name":`)
	}
	res, body := v.send(t, http.MethodGet, "/proxy/v1/models/unknown", "", testKey, version)
	require.Equal(t, http.StatusNotFound, res.StatusCode)
	requireShape(t, apperr.Anthropic, apperr.ModelNotFound, body)
	_, body = v.send(t, http.MethodGet, "/proxy/v1/models/claude-auto", "", testKey)
	require.Contains(t, body, `{"id":"claude-auto","object":"model",`)
	for _, id := range []string{"gemini-auto", "a:b/c"} {
		_, body = v.send(t, http.MethodGet, "/proxy/v1beta/models/"+id, "", testKey)
		require.Contains(t, body, `{"name":"models/`+id+`",`)
	}
	res, body = v.send(t, http.MethodPost, "/proxy/v1beta/models/flash:unknownMethod", "", testKey)
	require.Equal(t, http.StatusNotFound, res.StatusCode)
	requireShape(t, apperr.Gemini, apperr.EndpointNotFound, body)
	_, body = v.send(t, http.MethodGet, "/proxy/v1/models", "", testKey)
	require.Contains(t, body, `{"object":"list","data":[{"id":"auto",`, "without the header")
}

func TestModelsInTheFormatOfGoogle(t *testing.T) {
	v := newVendors(t, "opus")
	var list struct {
		Models []struct {
			Name    string
			Methods []string `json:"supportedGenerationMethods"`
		}
		NextPageToken string
	}
	var names []string
	for query := "?pageSize=4"; ; query = "?pageSize=4&pageToken=" + list.NextPageToken {
		_, body := v.send(t, http.MethodGet, "/proxy/v1beta/models"+query, "", testKey)
		list.NextPageToken = ""
		require.NoError(t, json.Unmarshal([]byte(body), &list), body)
		for _, m := range list.Models {
			names = append(names, m.Name)
			require.Contains(t, m.Methods, "generateContent")
		}
		if list.NextPageToken == "" {
			break
		}
	}
	require.Equal(t, []string{"models/gemini-auto", "models/auto", "models/only-open", "models/auto:economy", "models/auto:balanced", "models/auto:quality", "models/a:b/c", "models/flash", "models/gpt", "models/opus"}, names)
}

// The vendors' names of the route auto work everywhere, also for a key that may use only auto.
func TestNamesOfAuto(t *testing.T) {
	for _, models := range [][]string{nil, {"auto"}, {"claude-auto", "gemini-auto"}} {
		v := newVendors(t, "opus")
		v.models = models
		for _, name := range []string{"claude-auto", "gemini-auto"} {
			for _, path := range []string{"/proxy/v1/chat/completions", messagesPath} {
				res, body := v.send(t, http.MethodPost, path, messagesBody(name, ""), testKey)
				require.Equal(t, http.StatusOK, res.StatusCode, body)
				r := v.records[len(v.records)-1]
				require.Equal(t, opusAtClaude, r.Served)
				require.Equal(t, name, r.RequestedModel)
			}
		}
		_, ids := v.list(t, "")
		require.Equal(t, "claude-auto", ids[0])
	}
	v := newVendors(t, "opus")
	v.models = []string{"gpt"}
	_, ids := v.list(t, "")
	require.Equal(t, []string{"gpt"}, ids)
	res, _ := v.ask(t, "claude-auto", "")
	require.Equal(t, http.StatusForbidden, res.StatusCode)
}

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// APIClient calls the dashboard API with the session cookie of one user.
type APIClient struct {
	t      *testing.T
	base   string
	client *http.Client
}

// Record holds the fields of a request record that the tests read.
type Record struct {
	ID             string  `json:"id"`
	KeyID          string  `json:"key_id"`
	RequestedModel string  `json:"requested_model"`
	Model          string  `json:"model"`
	Provider       string  `json:"provider"`
	Route          *string `json:"route"`
	Outcome        string  `json:"outcome"`
	Status         int     `json:"status"`
	Code           string  `json:"code"`
	Protocol       string  `json:"protocol"`
	Agent          string  `json:"agent"`
	User           string  `json:"user"`
	Session        string  `json:"session"`
	SideCall       bool    `json:"side_call"`
	Stream         bool    `json:"stream"`
	Cost           *int64  `json:"cost_nano_usd"`
	Saved          *int64  `json:"saved_nano_usd"`
	LatencyUS      int64   `json:"latency_us"`
	Baseline       struct {
		Model string `json:"model"`
		Cost  *int64 `json:"cost_nano_usd"`
	} `json:"baseline"`
	Tokens struct {
		Input  int64 `json:"input"`
		Output int64 `json:"output"`
	} `json:"tokens"`
	Attempts []struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Code     string `json:"code"`
		// Dropped lists the request fields that were not sent to the upstream.
		Dropped []string `json:"dropped_params"`
	} `json:"attempts"`
}

// The credentials with which SignInOperator claims the account.
const (
	OperatorEmail    = "operator@example.com"
	OperatorPassword = "correct horse battery"
)

// NewVisitor returns an API client that is not signed in.
func (b *Gateway) NewVisitor() *APIClient {
	jar, err := cookiejar.New(nil)
	require.NoError(b.t, err)
	return &APIClient{t: b.t, base: b.Dashboard, client: &http.Client{Jar: jar, Timeout: waitTimeout}}
}

// SignInOperator claims the operator's account, or signs in if it is claimed.
func (b *Gateway) SignInOperator() *APIClient {
	b.t.Helper()
	a := b.NewVisitor()
	body, path := map[string]string{"email": OperatorEmail, "password": OperatorPassword}, "/login"
	if b.Claim != "" {
		link, err := url.Parse(b.Claim)
		require.NoError(b.t, err)
		body["token"], path = link.Query().Get("token"), "/claim"
		b.Claim = ""
	}
	status, response := a.CallWithPassword(path, body, nil)
	require.Equal(b.t, http.StatusOK, status, "%s", response)
	return a
}

// CallWithPassword sends an e-mail address and a password to the API, and signs in with them. On a
// busy machine, hashing a password can take longer than the API waits. The call may have worked
// anyway, so a repeated one tries to sign in first.
func (a *APIClient) CallWithPassword(path string, body map[string]string, out any) (int, []byte) {
	a.t.Helper()
	login := map[string]string{"email": body["email"], "password": body["password"]}
	status, response := a.Call(http.MethodPost, path, body, out)
	for tries := 0; tries < 5 && status == http.StatusServiceUnavailable; tries++ {
		if status, response = a.Call(http.MethodPost, "/login", login, out); status == http.StatusUnauthorized {
			status, response = a.Call(http.MethodPost, path, body, out)
		}
	}
	return status, response
}

// Call calls the API and decodes a successful response into out. On a busy machine, a read can take
// longer than the API allows. It is then repeated, as the error proposes.
func (a *APIClient) Call(method, path string, body, out any) (int, []byte) {
	a.t.Helper()
	status, response := a.callOnce(method, path, body, out)
	for tries := 0; tries < 5 && method == http.MethodGet && tookTooLong(status, response); tries++ {
		status, response = a.callOnce(method, path, body, out)
	}
	return status, response
}

func tookTooLong(status int, response []byte) bool {
	return status == http.StatusServiceUnavailable && bytes.Contains(response, []byte("the query took too long"))
}

func (a *APIClient) callOnce(method, path string, body, out any) (int, []byte) {
	a.t.Helper()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(a.t, err)
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.base+"/api/v1"+path, payload)
	require.NoError(a.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := a.client.Do(req)
	require.NoError(a.t, err)
	defer func() { _ = res.Body.Close() }()
	response, err := io.ReadAll(res.Body)
	require.NoError(a.t, err)
	if out != nil && res.StatusCode < 300 {
		require.NoError(a.t, json.Unmarshal(response, out), "%s", response)
	}
	return res.StatusCode, response
}

// ListRecords returns all records, newest first. It reads every page.
func (a *APIClient) ListRecords() []Record {
	a.t.Helper()
	var all []Record
	cursor := ""
	for {
		var page struct {
			Items      []Record `json:"items"`
			NextCursor string   `json:"next_cursor"`
		}
		status, body := a.Call(http.MethodGet, "/requests?limit=200&cursor="+url.QueryEscape(cursor), nil, &page)
		require.Equal(a.t, http.StatusOK, status, "%s", body)
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

// AwaitRecord waits until the ledger has the record of a request.
func (a *APIClient) AwaitRecord(id string) Record {
	a.t.Helper()
	var rec Record
	require.Eventually(a.t, func() bool {
		status, _ := a.Call(http.MethodGet, "/requests/"+id, nil, &rec)
		return status == http.StatusOK
	}, waitTimeout, pollInterval, "no record of request %s", id)
	return rec
}

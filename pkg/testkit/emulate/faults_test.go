package emulate_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// streaming is the vendor asked for a stream.
func (v *vendor) streaming() *vendor {
	s := *v
	if strings.HasSuffix(v.path, ":generateContent") {
		s.path = strings.Replace(v.path, ":generateContent", ":streamGenerateContent", 1) + "?alt=sse"
		return &s
	}
	s.body = strings.Replace(v.body, "{", `{"stream":true,`, 1)
	return &s
}

func TestStatuses(t *testing.T) {
	for name, statuses := range map[string]string{
		"openai":    "400 401 403 404 409 413 422 429 500 503",
		"azure":     "400 401 403 404 408 413 429 500 503",
		"anthropic": "400 401 402 403 404 409 413 429 500 504 529",
		"gemini":    "400 402 403 404 429 500 503 504",
	} {
		v := everyVendor(t)[name]
		for status := range strings.FieldsSeq(statuses) {
			res, body, err := v.call(t, v.saying("[[emulate:"+status+"]]"))
			require.NoError(t, err)
			require.Equal(t, status, strings.Fields(res.Status)[0])
			var e struct{ Error struct{ Message string } }
			require.NoError(t, json.Unmarshal([]byte(body), &e))
			require.NotEmpty(t, e.Error.Message)
			require.NotContains(t, body, "{model}")
		}
	}
}

func TestNamedRefusals(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"openai":    {"quota": "insufficient_quota", "slow": "slow_down", "context": "context_length_exceeded", "filter": "content_policy_violation", "overloaded": "server_is_overloaded"},
		"azure":     {"filter": "ResponsibleAIPolicyViolation", "context": "context_length_exceeded", "quota": "insufficient_quota"},
		"anthropic": {"quota": "credit balance is too low", "spend": "enforced_spend_limit_reached", "context": "prompt is too long", "overloaded": "overloaded_error"},
		"gemini":    {"daily": "PerDay", "429": "retryDelay", "context": "exceeds the maximum number of tokens", "401": "API_KEY_INVALID", "region": "FAILED_PRECONDITION"},
	} {
		v := everyVendor(t)[name]
		for directive, text := range want {
			v.Fail(directive)
			_, body, err := v.call(t, v.body)
			require.NoError(t, err)
			require.Contains(t, body, text)
		}
	}
}

func TestDelayOfARefusal(t *testing.T) {
	v := newOpenAI(t, options)
	res, _, err := v.call(t, v.saying("[[emulate:429]]"))
	require.NoError(t, err)
	require.Equal(t, "120", res.Header.Get("Retry-After-Ms"))
	res, _, err = v.call(t, v.saying("[[emulate:429;after=7]]"))
	require.NoError(t, err)
	require.Equal(t, "7", res.Header.Get("Retry-After"))
	require.Empty(t, res.Header.Get("Retry-After-Ms"))
}

func TestWaysToAskForAFault(t *testing.T) {
	v := newAnthropic(t, options)
	status := func(body string) int {
		res, _, err := v.call(t, body)
		require.NoError(t, err)
		return res.StatusCode
	}
	require.Equal(t, 529, status(v.with(t, `{"model":"claude-opus-4-5@529"}`)))
	require.Equal(t, 200, status(v.saying("[[emulate:503;on=openai]]")), "which this vendor does not know")
	require.Equal(t, 429, status(v.saying("[[emulate:429;on=anthropic]]")))
	twice := v.saying("[[emulate:500;times=2]]")
	require.Equal(t, []int{500, 500, 200}, []int{status(twice), status(twice), status(twice)})
	v.Fail("", "500")
	require.Equal(t, []int{200, 500, 200}, []int{status(v.body), status(v.body), status(v.body)})
	v.header["X-Emulate"] = "504"
	require.Equal(t, 504, status(v.body))
	v.header["X-Emulate"] = "no such thing"
	require.Equal(t, 400, status(v.body))
	v.header["X-Emulate"] = "cut=soon"
	require.Equal(t, 400, status(v.body))
}

func TestBentAnswers(t *testing.T) {
	for name, v := range everyVendor(t) {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				directives string
				status     int
				has        string
			}{
				{"html", 502, "<html>"}, {"empty", 200, ""}, {"garbage", 200, "not what was asked for"},
			} {
				v.Fail(tt.directives)
				res, body, err := v.call(t, v.body)
				require.NoError(t, err)
				require.Equal(t, tt.status, res.StatusCode)
				require.Contains(t, body, tt.has)
				require.False(t, json.Valid([]byte(body)))
			}
			v.Fail("type", "gzip")
			res, _, err := v.call(t, v.body)
			require.NoError(t, err)
			require.Contains(t, res.Header.Get("Content-Type"), "text/plain")
			res, body, err := v.call(t, v.body)
			require.NoError(t, err)
			require.Equal(t, "gzip", res.Header.Get("Content-Encoding"))
			r, err := gzip.NewReader(strings.NewReader(body))
			require.NoError(t, err)
			whole, err := io.ReadAll(r)
			require.NoError(t, err)
			require.True(t, json.Valid(whole))
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	for name, v := range everyVendor(t) {
		t.Run(name, func(t *testing.T) {
			v := v.streaming()
			v.Fail("", "cut=30", "reset=30", "error=1", "dup", "drip")
			_, whole, err := v.call(t, v.body)
			require.NoError(t, err)
			for range 2 {
				_, body, err := v.call(t, v.body)
				require.Error(t, err)
				require.LessOrEqual(t, len(body), 30)
				book := v.Calls()
				require.True(t, book[len(book)-1].Broken)
			}
			_, body, err := v.call(t, v.body)
			require.NoError(t, err)
			require.Contains(t, body, `"error"`)
			require.NotContains(t, body, "[DONE]")
			_, body, err = v.call(t, v.body)
			require.NoError(t, err)
			first := whole[:strings.Index(whole, "\n\n")+2]
			if strings.Contains(whole, "\r\n\r\n") {
				first = whole[:strings.Index(whole, "\r\n\r\n")+4]
			}
			require.Len(t, body, len(whole)+len(first))
			_, body, err = v.call(t, v.body)
			require.NoError(t, err)
			require.Len(t, body, len(whole))
		})
	}
}

func TestOddFraming(t *testing.T) {
	v := newAnthropic(t, options).streaming()
	v.Fail("crlf", "comments", "tight", "coalesce", "usageless")
	for _, has := range []string{"}\r\n\r\n", "\n: keep-alive\n\n", "data:{", "message_stop", "message_stop"} {
		_, body, err := v.call(t, v.body)
		require.NoError(t, err)
		require.Contains(t, body, has)
	}
}

// A client that disconnects is recorded, before or during the response.
func TestHanging(t *testing.T) {
	for _, directives := range []string{"hang", "stall=1", "delay=1h", "pace=1h"} {
		v := newOpenAI(t, options).streaming()
		v.Fail(directives)
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url+v.path, strings.NewReader(v.body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer k")
		go func() {
			defer cancel()
			for len(v.Calls()) == 0 && t.Context().Err() == nil {
				runtime.Gosched()
			}
		}()
		client := &http.Client{Transport: &http.Transport{}}
		res, err := client.Do(req)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			_ = res.Body.Close()
		}
		require.Error(t, err)
		require.Eventually(t, func() bool { b := v.Calls(); return len(b) == 1 && b[0].Disconnected }, 5*time.Second, time.Millisecond, directives)
	}
}

func TestBlocked(t *testing.T) {
	for name, want := range map[string]string{
		"openai": `"finish_reason":"content_filter"`, "azure": `"finish_reason":"content_filter"`,
		"anthropic": `"stop_reason":"refusal"`, "gemini": `"blockReason":"SAFETY"`,
	} {
		v := everyVendor(t)[name]
		for _, v := range []*vendor{v, v.streaming()} {
			_, body, err := v.call(t, v.saying("[[emulate:block]]"))
			require.NoError(t, err)
			require.Contains(t, body, want)
		}
	}
}

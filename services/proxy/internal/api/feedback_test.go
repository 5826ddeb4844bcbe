package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/feedback"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

const (
	feedbackPath  = "/proxy/v1/feedback"
	ratedRequest  = "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"
	otherRequest  = "0198c0de-7d5a-7000-8000-3f0a5e1b2c3e"
	thumbUp       = `{"request_id":"` + ratedRequest + `","verdict":"up","reason":"mail ann@example.com","source":"ann@example.com"}`
	thumbDown     = `{"request_id":"` + otherRequest + `","verdict":"down"}`
	invalidScores = `[` + thumbUp + `,{"request_id":"` + ratedRequest + `","score":7}]`
)

func (g *rig) sendFeedback(t *testing.T, body string) (*http.Response, string) {
	t.Helper()
	res, stop := g.postTo(t, feedbackPath, body)
	defer stop()
	return res, all(t, res)
}

func TestFeedbackIsAcceptedAndWritten(t *testing.T) {
	g := newRig(t)
	g.accounts = map[string]string{"k": "acc"}
	res, body := g.sendFeedback(t, `[`+thumbUp+`,`+thumbDown+`]`)
	require.Equal(t, http.StatusAccepted, res.StatusCode, body)
	require.JSONEq(t, `{"accepted":2}`, body)
	require.Len(t, g.feedback, 1)
	f := g.feedback[0]
	require.Equal(t, "acc", f.AccountID, "the account of the key, never one of the body")
	require.Equal(t, "key", f.KeyID)
	require.Equal(t, res.Header.Get("X-Request-Id"), f.ID.String())
	require.Equal(t, []feedback.Item{
		{RequestID: uuid.MustParse(ratedRequest), Score: 1000, Reason: "mail ann@example.com", Source: "ann@example.com"},
		{RequestID: uuid.MustParse(otherRequest), Source: "api"},
	}, f.Items)
	require.Empty(t, g.records, "feedback is not a request")
}

func TestFeedbackFollowsTheCaptureSetting(t *testing.T) {
	for capture, reason := range map[string]string{"none": "", "redacted": "mail [email]"} {
		g := newRig(t)
		g.capture = capture
		res, body := g.sendFeedback(t, thumbUp)
		require.Equal(t, http.StatusAccepted, res.StatusCode, body)
		item := g.feedback[0].Items[0]
		require.NotContains(t, item.Reason+item.Source, "ann@", capture)
		require.Equal(t, reason == "", item.Reason == "", "%s: %s", capture, item.Reason)
		require.NotEmpty(t, item.Source)
		require.LessOrEqual(t, len(item.Source), feedback.MaxSource)
	}
}

func TestInvalidFeedbackNamesTheItem(t *testing.T) {
	g := newRig(t)
	res, body := g.sendFeedback(t, invalidScores)
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
	var e struct {
		Code    apperr.Code
		Details map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &e))
	require.Equal(t, apperr.InvalidRequest, e.Code)
	require.EqualValues(t, 1, e.Details["index"])
	require.Equal(t, "score", e.Details["param"])
	require.Empty(t, g.feedback, "nothing of an invalid list is written")
}

func TestFeedbackNeedsItsScope(t *testing.T) {
	g := newRig(t)
	g.scopes = []string{"chat", "models"}
	res, body := g.sendFeedback(t, thumbUp)
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Contains(t, body, `"feedback"`)
	g.scopes = []string{"feedback"}
	res, body = g.sendFeedback(t, thumbUp)
	require.Equal(t, http.StatusAccepted, res.StatusCode, body)
	require.Len(t, g.feedback, 1)
}

func TestFeedbackIsLimited(t *testing.T) {
	g := newRig(t)
	g.limits = limits.Set{RequestsPerMinute: 1}
	res, body := g.sendFeedback(t, thumbUp)
	require.Equal(t, http.StatusAccepted, res.StatusCode, body)
	res, _ = g.sendFeedback(t, thumbUp)
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode)
	require.Len(t, g.feedback, 1)
	require.Empty(t, g.records)

	g = newRig(t)
	g.deps.Limits.Body = 100
	res, _ = g.sendFeedback(t, `[`+strings.Repeat(thumbUp+",", 50)+thumbUp+`]`)
	require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
}

// 202 promises that the feedback survives. Without the spool there is no such promise.
func TestFeedbackThatCannotBeWrittenIsRejected(t *testing.T) {
	for _, err := range []error{spool.ErrFull, errors.New("disk failed")} {
		g := newRig(t)
		g.feedbackError = err
		res, body := g.sendFeedback(t, thumbUp)
		require.Equal(t, http.StatusServiceUnavailable, res.StatusCode, body)
		require.NotEmpty(t, res.Header.Get("Retry-After"))
	}
}

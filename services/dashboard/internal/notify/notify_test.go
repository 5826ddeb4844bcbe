package notify_test

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/webhook"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/notify"
)

var firing = alert.Message{
	ID: "event-1", Type: alert.TypeFiring, Time: time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC), AccountID: "acc",
	Data: alert.Data{Incident: "incident-1", Rule: "Errors <!channel> & Ümläute", Kind: alert.ErrorRate, Text: "Error rate is 90 %.", Value: 90, Threshold: 10, Unit: alert.Percent, Link: "https://box.example.com/errors", Runbook: "https://box.example.com/docs/alerts#error-rate"},
}

type received struct {
	header http.Header
	body   string
}

// newReceiver returns a TLS server, and a sender that trusts it and may reach it.
func newReceiver(t *testing.T, status int) (*httptest.Server, *notify.Sender, *[]received) {
	var got []received
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			got = append(got, received{r.Header, string(body)})
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, notify.New(webhook.Config{AllowPrivate: true, Roots: roots}, nil), &got
}

func TestWebhooksAreSigned(t *testing.T) {
	s, sender, got := newReceiver(t, http.StatusOK)
	c := alert.Channel{Kind: alert.Webhook, Address: s.URL + "/hook", Secret: "whsec_test"}
	require.NoError(t, sender.Send(t.Context(), c, firing))
	one := (*got)[0]
	var m alert.Message
	require.NoError(t, json.Unmarshal([]byte(one.body), &m))
	require.Equal(t, firing, m)
	require.Equal(t, "event-1", one.header.Get("Signalbox-Id"))
	signature := one.header.Get("Signalbox-Signature")
	valid := false
	for offset := -5; offset <= 5; offset++ { // the receiver reads the time from the header
		valid = valid || signature == webhook.Sign("whsec_test", time.Now().Add(time.Duration(offset)*time.Second), one.body)
	}
	require.True(t, valid, signature)
}

func TestSlackMessagesMentionNoChannel(t *testing.T) {
	s, sender, got := newReceiver(t, http.StatusOK)
	require.NoError(t, sender.Send(t.Context(), alert.Channel{Kind: alert.Slack, Address: s.URL}, firing))
	var m map[string]string
	require.NoError(t, json.Unmarshal([]byte((*got)[0].body), &m))
	require.Equal(t, "*Firing: Errors &lt;!channel&gt; &amp; Ümläute*\nError rate is 90 %.\n"+
		"<https://box.example.com/errors|Open Signalbox> · <https://box.example.com/docs/alerts#error-rate|Runbook>", m["text"])
}

func TestFailuresAndPrivateAddresses(t *testing.T) {
	s, sender, got := newReceiver(t, http.StatusTeapot)
	require.EqualError(t, sender.Send(t.Context(), alert.Channel{Kind: alert.Webhook, Address: s.URL}, firing), "the webhook responded with status 418")
	require.Len(t, *got, 1)

	strict := notify.New(webhook.Config{}, nil)
	require.Error(t, strict.CheckURL(s.URL))
	require.Error(t, strict.CheckURL("http://example.com/"))
	require.EqualError(t, strict.Send(t.Context(), alert.Channel{Kind: alert.Slack, Address: s.URL}, firing), "the address is not allowed any more")
	// A public name that resolves to a private address is rejected when it is dialed.
	require.NoError(t, strict.CheckURL("https://localhost:1/"))
	require.EqualError(t, strict.Send(t.Context(), alert.Channel{Kind: alert.Webhook, Address: "https://localhost:1/"}, firing), "the address is not public")
	require.Len(t, *got, 1)
	require.ErrorContains(t, strict.Send(t.Context(), alert.Channel{Kind: alert.Email, Address: "a@example.com"}, firing), "no mail server")
}

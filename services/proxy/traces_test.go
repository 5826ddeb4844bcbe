package proxy_test

import (
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy"
)

const traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// Without a collector, the client's trace passes through and its id is recorded.
func TestTracesReachUpstreamsAndTheLedger(t *testing.T) {
	w := newWire(t, func(c *proxy.Config) { c.TraceUpstreams = true })
	a := w.ask(chatPath, plain(""), "Traceparent: "+traceParent, "Tracestate: a=1", "Baggage: user=1")
	require.Equal(t, http.StatusOK, a.status)
	got := w.up.Last().Header
	require.Equal(t, traceParent, got.Get("Traceparent"))
	require.Empty(t, got.Get("Tracestate"), "it is for systems of the client")
	require.Empty(t, got.Get("Baggage"))
	require.Equal(t, traceParent[3:35], hex.EncodeToString(a.record.GetTraceId()))

	a = w.ask(chatPath, stream(""), "Traceparent: garbage", "Tracestate: a=1")
	require.Empty(t, w.up.Last().Header.Get("Traceparent"))
	require.Empty(t, w.up.Last().Header.Get("Tracestate"))
	require.Empty(t, a.record.GetTraceId())
}

func TestTracesStayAtHome(t *testing.T) {
	w := newWire(t)
	a := w.ask(chatPath, plain(""), "Traceparent: "+traceParent)
	require.Empty(t, w.up.Last().Header.Get("Traceparent"))
	require.Equal(t, traceParent[3:35], hex.EncodeToString(a.record.GetTraceId()))
}

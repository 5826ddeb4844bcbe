package rpc

import (
	"errors"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/telemetry"
)

func TestCallTimes(t *testing.T) {
	var off *callTimes
	off.observe("/a/B", time.Now(), nil) // must not panic
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "router"}, io.Discard)
	require.NoError(t, err)
	times := newCallTimes(tel.Histograms)
	times.observe("/s/Decide", time.Now(), nil)
	times.observe("/s/Decide", time.Now(), nil)
	times.observe("/s/Decide", time.Now(), status.Error(codes.Unavailable, "away"))
	times.observe("/s/Decide", time.Now(), errors.New("odd"))
	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for code, n := range map[string]string{"OK": "2", "Unavailable": "1", "Unknown": "1"} {
		require.Regexp(t, `(?m)^signalbox_rpc_seconds_count\{code="`+code+`",method="s/Decide".*\} `+n+`$`, w.Body.String())
	}
}

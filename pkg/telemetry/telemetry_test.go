package telemetry

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/signalbox/signalbox/pkg/config"
)

func start(t *testing.T, cfg Config) (*Telemetry, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	tel, err := New(t.Context(), cfg, &out)
	require.NoError(t, err)
	return tel, &out
}

func TestLogFormats(t *testing.T) {
	tel, out := start(t, Config{Service: "proxy", Version: "1.2"})
	tel.Log.Info("hello", "n", 1)
	tel.Log.Debug("quiet")
	var got map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &got), "one line of JSON")
	require.Equal(t, "hello", got["msg"])
	require.Equal(t, "proxy", got["service"])
	require.Equal(t, "1.2", got["version"])

	tel, out = start(t, Config{Service: "proxy", LogFormat: "text", LogLevel: "debug"})
	tel.Log.Debug("hello")
	require.Contains(t, out.String(), "level=DEBUG msg=hello service=proxy")

	tel, out = start(t, Config{Service: "proxy", LogFormat: "console"})
	tel.Log.Info("hello", "n", 1)
	require.Regexp(t, `^\d\d:\d\d:\d\d hello +n=1\n$`, out.String())
}

func TestNewRefusesWhatItDoesNotKnow(t *testing.T) {
	_, err := New(t.Context(), Config{LogFormat: "xml"}, nil)
	require.ErrorContains(t, err, "xml")
	_, err = New(t.Context(), Config{LogLevel: "loud"}, nil)
	require.ErrorContains(t, err, "loud")
}

func TestRegister(t *testing.T) {
	cfg := Config{LogFormat: "console"}
	set := config.New()
	cfg.Register(set)
	require.NoError(t, set.Load(nil, []string{"SIGNALBOX_LOG_LEVEL=warn"}))
	require.Equal(t, "console", cfg.LogFormat, "the program's own default")
	require.Equal(t, "warn", cfg.LogLevel)
	require.NoError(t, set.Load([]string{"--log-format=text"}, nil))
	require.Equal(t, "text", cfg.LogFormat)
	require.Error(t, set.Load([]string{"--log-format=xml"}, nil))

	var bare Config
	bare.Register(config.New())
	require.Equal(t, "json", bare.LogFormat)
}

func TestMetrics(t *testing.T) {
	tel, _ := start(t, Config{Service: "proxy", Version: "1.2"})
	other, _ := start(t, Config{Service: "other"})
	counter, err := tel.Meter.Meter("test").Int64Counter("signalbox_requests")
	require.NoError(t, err)
	counter.Add(t.Context(), 3)

	body := scrape(tel)
	require.Contains(t, body, "signalbox_requests_total 3")
	require.Contains(t, body, `service_name="proxy"`)
	require.Contains(t, body, "go_goroutines")
	require.NotContains(t, scrape(other), "signalbox_requests_total", "each process part has its own registry")
	require.IsType(t, noop.TracerProvider{}, tel.Tracer)
	require.NoError(t, tel.Shutdown(t.Context()))
}

func scrape(t *Telemetry) string {
	w := httptest.NewRecorder()
	t.MetricsHandler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

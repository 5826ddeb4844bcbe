package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// encodingOf returns the Content-Encoding of a response of 4 KB with the given type.
func encodingOf(t *testing.T, contentType string) string {
	t.Helper()
	h, err := compressResponses(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(strings.Repeat("text ", 800)))
	}))
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Header().Get("Content-Encoding")
}

func TestPagesAndAPIResponsesAreCompressed(t *testing.T) {
	require.Equal(t, "gzip", encodingOf(t, "text/html; charset=utf-8"))
	require.Equal(t, "gzip", encodingOf(t, "application/json"))
}

func TestStreamsAndExportsAreNotCompressed(t *testing.T) {
	for _, plain := range []string{"text/event-stream", "text/csv; charset=utf-8", "application/x-ndjson"} {
		require.Empty(t, encodingOf(t, plain), plain)
	}
}

func TestPanicAbortsCompressedResponse(t *testing.T) {
	s := newServer(Deps{Log: slog.New(slog.DiscardHandler)})
	h, err := compressResponses(s.recoverPanics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(strings.Repeat("half ", 1000)))
		panic("too late")
	})))
	require.NoError(t, err)
	web := httptest.NewServer(h)
	defer web.Close()
	_, err = web.Client().Get(web.URL)
	require.Error(t, err)
}

package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// get returns the status, the body and the read error.
func get(t *testing.T, h http.Handler) (int, string, error) {
	t.Helper()
	web := httptest.NewServer(h)
	defer web.Close()
	resp, err := web.Client().Get(web.URL + "/api/v1/x")
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestPanicReturnsErrorAndIsLogged(t *testing.T) {
	var log bytes.Buffer
	s := newServer(Deps{Log: slog.New(slog.NewTextHandler(&log, nil))})
	status, body, err := get(t, s.withHeaders(s.recoverPanics(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("at the disco")
	}))))
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, `"code":"INTERNAL_ERROR"`)
	require.NotContains(t, body, "disco")
	require.Contains(t, log.String(), "at the disco")
}

func TestPanicAbortsStartedResponse(t *testing.T) {
	s := newServer(Deps{Log: slog.New(slog.DiscardHandler)})
	_, _, err := get(t, s.recoverPanics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		panic("too late")
	})))
	require.Error(t, err)
}

// dying is a ledger that fails after its first page.
type dying struct {
	readlimit.Ledger
	pages int
}

func (d *dying) Page(context.Context, record.Query, *record.Cursor, int) (record.Page, error) {
	if d.pages++; d.pages > 1 {
		return record.Page{}, errors.New("gone")
	}
	r := record.Record{ID: uuid.Must(uuid.NewV7())}
	return record.Page{Items: []record.Record{r}, Next: record.CursorAfter(&r)}, nil
}

func TestFailedExportIsAborted(t *testing.T) {
	h := NewOperator(Deps{Ledger: &dying{}, Log: slog.New(slog.DiscardHandler)})
	status, _, err := get(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path, r.URL.RawQuery = "/api/v1/requests/export", "format=csv"
		r.Header.Set(httpapi.AccountHeader, "acc")
		h.ServeHTTP(w, r)
	}))
	require.Equal(t, http.StatusOK, status)
	require.Error(t, err)
}

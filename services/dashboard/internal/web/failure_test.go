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
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
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
	s := &server{Deps: Deps{Log: slog.New(slog.NewTextHandler(&log, nil))}}
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
	s := &server{Deps: Deps{Log: slog.New(slog.DiscardHandler)}}
	_, _, err := get(t, s.recoverPanics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		panic("too late")
	})))
	require.Error(t, err)
}

// dying is a ledger that fails after its first page.
type dying struct{ pages int }

func (d *dying) Page(context.Context, record.Query, *record.Cursor, int) (record.Page, error) {
	if d.pages++; d.pages > 1 {
		return record.Page{}, errors.New("gone")
	}
	r := record.Record{ID: uuid.Must(uuid.NewV7())}
	return record.Page{Items: []record.Record{r}, Next: record.CursorAfter(&r)}, nil
}

func (*dying) Get(context.Context, string, uuid.UUID) (*record.Record, error) {
	return nil, errors.New("gone")
}

func (*dying) Impact(context.Context, record.Query, record.GroupBy) (record.Impact, error) {
	return record.Impact{}, errors.New("gone")
}

func (*dying) Series(context.Context, record.Query, time.Duration) ([]record.Bucket, error) {
	return nil, errors.New("gone")
}

func (*dying) Figures(context.Context, record.Query) (record.Figures, error) {
	return record.Figures{}, errors.New("gone")
}

func TestFailedExportIsAborted(t *testing.T) {
	s := &server{Deps: Deps{Ledger: &dying{}, Log: slog.New(slog.DiscardHandler)}}
	v := &viewer{account: &keyauthv1.Account{Id: "acc"}}
	status, _, err := get(t, s.recoverPanics(s.handleAPI(func(w http.ResponseWriter, r *http.Request) error {
		r.URL.RawQuery = "format=csv"
		return s.apiExportRequests(w, r, v)
	})))
	require.Equal(t, http.StatusOK, status)
	require.Error(t, err)
}

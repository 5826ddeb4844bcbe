package accounts

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/export"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

const (
	auditPageSize = 200
	// auditPageTimeout is how long a client may take to read one page.
	auditPageTimeout = 30 * time.Second
)

// auditWriter writes events in one format.
type auditWriter interface {
	write(e auditEntryJSON) error
	flush() error
}

// apiExportAudit streams the selected events, newest first. Events that arrive meanwhile are
// not part of it. If it fails after the response has begun, it aborts the response, so that
// the client does not take it for complete.
func (s *API) apiExportAudit(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, append([]string{"format"}, auditParams...)...)
	if err != nil {
		return err
	}
	kind, ok := map[string]string{"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}[p.Get("format")]
	if !ok {
		return httpapi.InvalidParam("format", "format must be csv or ndjson").With("allowed", []string{"csv", "ndjson"})
	}
	q, err := parseAuditFilter(p)
	if err != nil {
		return err
	}
	q.Actor, q.Limit = v.Actor(), auditPageSize
	first, err := s.Accounts.ListAudit(r.Context(), q)
	if err != nil {
		return httpapi.ToAccountsError(err)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="audit.`+p.Get("format")+`"`)
	if err := s.writeAuditPages(w, r, q, first, newAuditWriter(p.Get("format"), w)); err != nil {
		httpapi.LogFailure(s.Log, r, err)
		httpapi.AbortResponse(w)
	}
	return nil
}

func (s *API) writeAuditPages(w http.ResponseWriter, r *http.Request, q *keyauthv1.ListAuditRequest, page *keyauthv1.ListAuditResponse, out auditWriter) error {
	control := http.NewResponseController(w)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(auditPageTimeout)) // best effort: not every writer supports deadlines
		for _, e := range page.GetEvents() {
			if err := out.write(toAuditEntryJSON(e)); err != nil {
				return err
			}
		}
		if err := out.flush(); err != nil || page.GetNext() == 0 {
			return err
		}
		_ = control.Flush()
		q.Before = page.GetNext()
		var err error
		if page, err = s.Accounts.ListAudit(r.Context(), q); err != nil {
			return err
		}
	}
}

func newAuditWriter(format string, w io.Writer) auditWriter {
	if format == "csv" {
		return &auditCSV{Writer: csv.NewWriter(w)}
	}
	return auditNDJSON{json.NewEncoder(w)}
}

type auditNDJSON struct{ *json.Encoder }

func (e auditNDJSON) write(c auditEntryJSON) error { return e.Encode(c) }
func (e auditNDJSON) flush() error                 { return nil }

type auditCSV struct {
	*csv.Writer
	started bool
}

func (e *auditCSV) write(c auditEntryJSON) error {
	if err := e.start(); err != nil {
		return err
	}
	cells := []string{strconv.FormatInt(c.ID, 10), orEmpty(c.Time), orEmpty(c.UserID), orEmpty(c.Email), c.Action, orEmpty(c.Subject)}
	for i := range cells {
		cells[i] = export.EscapeCell(cells[i])
	}
	return e.Write(append(cells, export.EscapeJSON(string(c.Before)), export.EscapeJSON(string(c.After))))
}

func (e *auditCSV) start() error {
	if e.started {
		return nil
	}
	e.started = true
	return e.Write([]string{"id", "time", "user_id", "email", "action", "subject", "before", "after"})
}

func (e *auditCSV) flush() error {
	if err := e.start(); err != nil {
		return err
	}
	e.Flush()
	return e.Error()
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// exportPage is how many records are in memory at a time.
	exportPage = 500
	// exportPatience is how long a reader may take for one such page.
	exportPatience = 30 * time.Second
)

// exporter writes records in one format.
type exporter interface {
	write(r *record.Record) error
	flush() error
}

// apiExport streams every record the query finds, newest first. It reads page
// by page, so that a slow reader holds no transaction open.
func (s *server) apiExport(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "from", "to", "format")
	if err != nil {
		return err
	}
	q, err := query(p, v.account.GetId())
	if err != nil {
		return err
	}
	var out exporter
	switch p.Get("format") {
	case "csv":
		out = newCSVExport(w)
	case "ndjson":
		out = &lineExport{json.NewEncoder(w)}
	default:
		return badParam("format", "format must be csv or ndjson").With("allowed", []string{"csv", "ndjson"})
	}
	// The first page is read before anything is written, so that most errors
	// can still be told.
	page, err := s.exportPage(r.Context(), q, nil)
	if err != nil {
		return err
	}
	header(w, p.Get("format"))
	if err := s.export(w, r, q, page, out); err != nil {
		s.logFailure(r, err)
		cut(w)
	}
	return nil
}

func (s *server) export(w http.ResponseWriter, r *http.Request, q record.Query, page record.Page, out exporter) error {
	control := http.NewResponseController(w)
	for {
		_ = control.SetWriteDeadline(time.Now().Add(exportPatience)) // not every writer can
		for i := range page.Items {
			if err := out.write(&page.Items[i]); err != nil {
				return err
			}
		}
		if err := out.flush(); err != nil || page.Next == nil {
			return err
		}
		_ = control.Flush()
		var err error
		if page, err = s.exportPage(r.Context(), q, page.Next); err != nil {
			return err
		}
	}
}

func (s *server) exportPage(ctx context.Context, q record.Query, after *record.Cursor) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, exportPage)
}

func header(w http.ResponseWriter, format string) {
	kind := map[string]string{"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}[format]
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="requests.`+format+`"`)
}

// cut ends an answer in the middle in a way the reader notices: what was
// promised to follow cannot be written any more.
func cut(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

type lineExport struct{ *json.Encoder }

func (e *lineExport) write(r *record.Record) error { return e.Encode(toRecordJSON(r)) }

func (e *lineExport) flush() error { return nil }

type csvExport struct {
	*csv.Writer
	begun bool
}

func newCSVExport(w http.ResponseWriter) *csvExport { return &csvExport{Writer: csv.NewWriter(w)} }

func csvHeader() []string {
	return []string{
		"id", "time", "account_id", "key_id", "key_name", "requested_model", "model", "provider", "route", "outcome",
		"reason_code", "reason_text", "status", "code", "stream", "input_tokens", "cache_read_tokens",
		"cache_write_tokens", "output_tokens", "reasoning_tokens", "cost_nano_usd", "cost_basis", "baseline_model",
		"baseline_nano_usd", "kept_nano_usd", "latency_us", "ttft_us", "gateway_us", "attempts",
	}
}

func (e *csvExport) write(r *record.Record) error {
	if err := e.begin(); err != nil {
		return err
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return e.Write([]string{
		r.ID.String(), timeText(r.Time), cell(r.AccountID), cell(r.KeyID), cell(r.KeyName), cell(r.RequestedModel),
		cell(r.Model), cell(r.Provider), string(r.Route), string(r.Outcome), cell(r.Reason.Code), cell(r.Reason.Text),
		n(int64(r.Status)), cell(r.Code), strconv.FormatBool(r.Stream), n(r.Tokens.Input), n(r.Tokens.CacheRead),
		n(r.Tokens.CacheWrite), n(r.Tokens.Output), n(r.Tokens.Reasoning), amount(r.Cost), string(r.CostBasis),
		cell(r.BaselineModel), amount(r.BaselineCost), amount(r.Kept()), n(r.Latency), n(r.TTFT), n(r.Gateway),
		strconv.Itoa(len(r.Attempts)),
	})
}

func (e *csvExport) flush() error {
	if err := e.begin(); err != nil {
		return err
	}
	e.Flush()
	return e.Error()
}

func (e *csvExport) begin() error {
	if e.begun {
		return nil
	}
	e.begun = true
	return e.Write(csvHeader())
}

// cell keeps a spreadsheet from taking a text for a formula.
func cell(text string) string {
	if text == "" {
		return text
	}
	switch text[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + text
	}
	return text
}

// amount is empty when it is unknown.
func amount(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

package web

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// exporter writes records in one format. The same records are the same bytes
// every time, and each row begins with its record's id: manifests rely on both.
type exporter interface {
	write(r *record.Record) error
	flush() error
}

func newExporter(format manifest.Format, out io.Writer) exporter {
	if format == manifest.CSV {
		return &csvExport{Writer: csv.NewWriter(out)}
	}
	return lineExport{json.NewEncoder(out)}
}

type lineExport struct{ *json.Encoder }

func (e lineExport) write(r *record.Record) error { return e.Encode(toRecordJSON(r)) }

func (e lineExport) flush() error { return nil }

type csvExport struct {
	*csv.Writer
	begun bool
}

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

const (
	// formulas begin with one of these, which some programs read in their wide
	// forms as well.
	formulas = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"
	// breaks end a cell where the list separator is not the comma, as in many
	// countries: quotes in the middle of a line do not help there.
	breaks = ";\t\r\n"
)

// cell keeps a spreadsheet from taking a text, or what it may make a cell of,
// for a formula: an apostrophe before it makes it text.
func cell(text string) string {
	var b strings.Builder
	done, begin, fresh := 0, 0, true
	for i, r := range text {
		switch {
		case strings.ContainsRune(breaks, r):
			if i == 0 {
				b.WriteByte('\'')
			}
			begin, fresh = i+1, true
		case fresh && strings.ContainsRune(formulas, r):
			b.WriteString(text[done:begin] + "'")
			done, fresh = begin, false
		case fresh && !unseen(r):
			fresh = false
		}
	}
	return b.String() + text[done:]
}

// unseen is what programs skip at the beginning of a cell: spaces, quotes and
// what cannot be seen at all.
func unseen(r rune) bool {
	return r == '"' || r == '\'' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
}

// amount is empty when it is unknown.
func amount(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

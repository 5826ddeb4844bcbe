package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/signalbox/signalbox/pkg/manifest"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

// exporter writes records in one format. Equal records give equal bytes, and each
// row starts with the record's id. The checksums of manifests rely on both.
type exporter interface {
	write(r *record.Record) error
	flush() error
}

func newExporter(format manifest.Format, out io.Writer) exporter {
	if format == manifest.CSV {
		return &csvExport{Writer: csv.NewWriter(out)}
	}
	return ndjsonExport{json.NewEncoder(out)}
}

type ndjsonExport struct{ *json.Encoder }

// ndjsonRow is a record of a list with its tags and metadata, which lists leave out.
type ndjsonRow struct {
	recordjson.Record
	Tags     []string          `json:"tags"`
	Metadata map[string]string `json:"metadata"`
}

func (e ndjsonExport) write(r *record.Record) error {
	row := ndjsonRow{Record: recordjson.ToRecord(r), Tags: []string{}, Metadata: map[string]string{}}
	if r.Inputs != nil {
		row.Tags, row.Metadata = jsonvalue.OrEmpty(r.Inputs.Tags), jsonvalue.OrEmptyMap(r.Inputs.Metadata)
	}
	return e.Encode(row)
}

func (e ndjsonExport) flush() error { return nil }

type csvExport struct {
	*csv.Writer
	started bool
}

func csvHeader() []string {
	return []string{
		"id", "time", "account_id", "key_id", "key_name", "requested_model", "model", "provider", "route", "outcome",
		"reason_code", "reason_text", "status", "code", "stream", "input_tokens", "cache_read_tokens",
		"cache_write_tokens", "output_tokens", "reasoning_tokens", "cost_nano_usd", "cost_basis", "baseline_model",
		"baseline_nano_usd", "saved_nano_usd", "latency_us", "ttft_us", "gateway_us", "attempts", "protocol", "agent",
		"unpriced",
		"session", "user", "side_call", "rule", "endpoint", "tags", "metadata",
	}
}

func (e *csvExport) write(r *record.Record) error {
	if err := e.writeHeaderOnce(); err != nil {
		return err
	}
	tags, metadata, err := formatLabels(r)
	if err != nil {
		return err
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return e.Write([]string{
		r.ID.String(), jsonvalue.FormatTime(r.Time), EscapeCell(r.AccountID), EscapeCell(r.KeyID), EscapeCell(r.KeyName), EscapeCell(r.RequestedModel),
		EscapeCell(r.Model), EscapeCell(r.Provider), string(r.Route), string(r.Outcome), EscapeCell(r.Reason.Code), EscapeCell(r.Reason.Text),
		n(int64(r.Status)), EscapeCell(r.Code), strconv.FormatBool(r.Stream), n(r.Tokens.Input), n(r.Tokens.CacheRead),
		n(r.Tokens.CacheWrite), n(r.Tokens.Output), n(r.Tokens.Reasoning), formatAmount(r.Cost), string(r.CostBasis),
		EscapeCell(r.BaselineModel), formatAmount(r.BaselineCost), formatAmount(r.Saved()), n(r.Latency), n(r.TTFT), n(r.Gateway),
		strconv.Itoa(len(r.Attempts)), EscapeCell(string(r.Protocol)), EscapeCell(r.Agent),
		EscapeCell(strings.Join(unpricedNames(r), " ")),
		EscapeCell(r.Session), EscapeCell(r.User), strconv.FormatBool(r.SideCall), EscapeCell(r.Reason.Rule), EscapeCell(r.Endpoint),
		tags, metadata,
	})
}

// formatLabels returns the tags as a JSON array and the metadata as a JSON object, because both
// can contain any character. They are empty if there are none.
func formatLabels(r *record.Record) (tags, metadata string, err error) {
	if r.Inputs == nil {
		return "", "", nil
	}
	if len(r.Inputs.Tags) > 0 {
		if tags, err = formatJSONCell(r.Inputs.Tags); err != nil {
			return "", "", err
		}
	}
	if len(r.Inputs.Metadata) > 0 {
		metadata, err = formatJSONCell(r.Inputs.Metadata)
	}
	return tags, metadata, err
}

func formatJSONCell(value any) (string, error) {
	text, err := json.Marshal(value)
	return EscapeJSON(string(text)), err
}

// unpricedNames names what makes the cost an estimate, of all attempts.
func unpricedNames(r *record.Record) (names []string) {
	for i := range r.Attempts {
		for _, name := range r.Attempts[i].Unpriced {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (e *csvExport) flush() error {
	if err := e.writeHeaderOnce(); err != nil {
		return err
	}
	e.Flush()
	return e.Error()
}

func (e *csvExport) writeHeaderOnce() error {
	if e.started {
		return nil
	}
	e.started = true
	return e.Write(csvHeader())
}

const (
	// formulaStarts lists the characters that start a formula. Some spreadsheets also
	// accept the full-width forms.
	formulaStarts = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"
	// cellBreaks lists the characters that can end a cell. In many locales a
	// semicolon separates cells, even inside quotes.
	cellBreaks = ";\t\r\n"
)

// EscapeCell inserts an apostrophe before each part of a text that a spreadsheet
// could treat as a formula. The apostrophe marks a cell as text.
func EscapeCell(text string) string {
	var b strings.Builder
	done, begin, fresh := 0, 0, true
	for i, r := range text {
		switch {
		case strings.ContainsRune(cellBreaks, r):
			if i == 0 {
				b.WriteByte('\'')
			}
			begin, fresh = i+1, true
		case fresh && strings.ContainsRune(formulaStarts, r):
			b.WriteString(text[done:begin] + "'")
			done, fresh = begin, false
		case fresh && !isIgnoredByCells(r):
			fresh = false
		}
	}
	return b.String() + text[done:]
}

// EscapeJSON returns the text of a JSON array or object without a part that a spreadsheet could
// treat as a formula. The text stays JSON with the same value, because a semicolon before a
// formula becomes an escape of JSON instead of an apostrophe after it. The text starts with a
// bracket, and JSON escapes the other cellBreaks.
func EscapeJSON(text string) string {
	parts := strings.Split(text, ";")
	var b strings.Builder
	b.WriteString(parts[0])
	for _, part := range parts[1:] {
		if EscapeCell(part) != part {
			b.WriteString(`\u003b` + part)
		} else {
			b.WriteString(";" + part)
		}
	}
	return b.String()
}

// isIgnoredByCells reports whether spreadsheets skip the character at the start of
// a cell: spaces, quotes and invisible characters.
func isIgnoredByCells(r rune) bool {
	return r == '"' || r == '\'' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
}

// formatAmount returns an empty string for an unknown amount.
func formatAmount(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

package ledger

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	strict "github.com/go-json-experiment/json"

	"github.com/signalbox/signalbox/pkg/feedback"
)

// maxFeedbackLine is the longest line of an NDJSON file, in bytes.
const maxFeedbackLine = 64 << 10

// feedbackColumns are the columns that a CSV file may have.
var feedbackColumns = []string{"request_id", "score", "verdict", "reason", "source"}

// onLine receives the fields of a line, or why the line cannot be read. Its error stops the
// file.
type onLine func(line int, f feedback.Fields, err error) error

// eachFeedback calls fn for every line of a file.
func eachFeedback(file, format string, fn onLine) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	switch format {
	case "csv":
		return eachCSVLine(f, fn)
	case "ndjson", "jsonl":
		return eachJSONLine(f, fn)
	}
	return fmt.Errorf("the format of %s is unknown: use --format csv or --format ndjson", file)
}

func eachJSONLine(r io.Reader, fn onLine) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, maxFeedbackLine), maxFeedbackLine)
	n := 0
	for lines.Scan() {
		n++
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		var f feedback.Fields
		err := strict.Unmarshal([]byte(text), &f, strict.RejectUnknownMembers(true))
		if err != nil {
			err = describeJSONError(err)
		}
		if err := fn(n, f, err); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d is longer than %d bytes", n+1, maxFeedbackLine)
	}
	return lines.Err()
}

func describeJSONError(err error) error {
	var wrong *strict.SemanticError
	if errors.As(err, &wrong) {
		name := strings.TrimPrefix(string(wrong.JSONPointer), "/")
		if errors.Is(err, strict.ErrUnknownName) {
			return fmt.Errorf("unknown field %q", name)
		}
		return fmt.Errorf("%s has a value of the wrong type", name)
	}
	return errors.New("not a JSON object, or a field appears twice")
}

func eachCSVLine(r io.Reader, fn onLine) error {
	rows := csv.NewReader(r)
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\uFEFF") // some spreadsheets write a byte order mark
	for i, name := range header {
		if header[i] = strings.ToLower(strings.TrimSpace(name)); !slices.Contains(feedbackColumns, header[i]) || slices.Contains(header[:i], header[i]) {
			return fmt.Errorf("column %q is unknown or appears twice: the columns are %s", name, strings.Join(feedbackColumns, ", "))
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line, _ := rows.FieldPos(0)
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			line = broken.StartLine
		}
		var f feedback.Fields
		if err == nil {
			f, err = fieldsOfRow(header, row)
		}
		if err := fn(line, f, err); err != nil {
			return err
		}
		if broken != nil && !errors.Is(broken.Err, csv.ErrFieldCount) {
			return nil // after a wrong quote, the rest of the file has no lines
		}
	}
}

// fieldsOfRow converts a row. An empty cell is a missing value.
func fieldsOfRow(header, row []string) (f feedback.Fields, err error) {
	for i, name := range header {
		value := row[i]
		if value == "" {
			continue
		}
		switch name {
		case "request_id":
			f.RequestID = &value
		case "verdict":
			f.Verdict = &value
		case "reason":
			f.Reason = &value
		case "source":
			f.Source = &value
		case "score":
			score, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return f, errors.New("score must be a number from 0 to 1")
			}
			f.Score = &score
		}
	}
	return f, nil
}

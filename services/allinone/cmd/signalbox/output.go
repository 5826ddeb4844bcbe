package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// errCannotConfirm means that the command needs a confirmation, but no user can give it, for example in a script.
var errCannotConfirm = errors.New("cannot ask for confirmation here; add --yes to confirm")

// items is a list in the JSON format of the API.
type items[T any] struct {
	Items []T `json:"items"`
}

// printResult prints v as JSON if --json is set. Otherwise it prints the rows as a table.
func (o *operatorCommand) printResult(v any, rows ...[]string) error {
	if o.json {
		e := json.NewEncoder(o.out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = sanitize(cell)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// sanitize replaces unprintable characters, so that text from other users cannot control the terminal.
func sanitize(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

func (o *operatorCommand) addYesFlag() {
	o.set.Bool(&o.yes, "yes", false, "do not ask for confirmation")
}

// confirm asks the user before a change that cannot be undone. It returns nil only if the
// user agrees or --yes is set.
func (o *operatorCommand) confirm(ctx context.Context, question string) error {
	question = sanitize(question)
	if o.yes {
		return nil
	}
	if !o.interactive {
		return fmt.Errorf("%w: %s", errCannotConfirm, question)
	}
	_, _ = fmt.Fprint(o.err, question+" [y/N] ")
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(o.in).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		if line == "" {
			_, _ = fmt.Fprintln(o.err)
			return errCannotConfirm
		}
	case <-ctx.Done():
	}
	return errors.New("nothing was changed")
}

// countNoun returns a count with its noun, such as "1 row" or "2 rows".
func countNoun(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// formatDuration leaves out trailing zero units: 24h instead of 24h0m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func formatJSONTime(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := t.AsTime().Format(time.RFC3339Nano)
	return &text
}

func formatTableTime(t *timestamppb.Timestamp) string {
	if t == nil {
		return "-"
	}
	return t.AsTime().Format("2006-01-02 15:04:05Z")
}

// enumWord returns an enum value as in the JSON API: in lower case, without its prefix.
// It returns an empty string for the unspecified value.
func enumWord(enum fmt.Stringer, prefix string) string {
	w := strings.ToLower(strings.TrimPrefix(enum.String(), prefix))
	if w == "unspecified" {
		return ""
	}
	return w
}

func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

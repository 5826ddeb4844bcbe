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

// errNotAsked is for scripts, where nobody could answer.
var errNotAsked = errors.New("nobody can be asked here: say --yes")

// items is a list, as the API has it.
type items[T any] struct {
	Items []T `json:"items"`
}

// show prints v as JSON if that was asked for, else the rows as a table.
func (o *operator) show(v any, rows ...[]string) error {
	if o.json {
		e := json.NewEncoder(o.out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = printable(cell)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// printable keeps what others have typed from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// asks adds the flag that answers a question beforehand.
func (o *operator) asks() { o.set.Bool(&o.yes, "yes", false, "do not ask") }

// confirm asks a person before something that cannot be undone.
func (o *operator) confirm(ctx context.Context, question string) error {
	question = printable(question)
	if o.yes {
		return nil
	}
	if !o.answers {
		return fmt.Errorf("%s %w", question, errNotAsked)
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
			return errNotAsked
		}
	case <-ctx.Done():
	}
	return errors.New("nothing was changed")
}

// stamp is a time in JSON; nil when it is absent.
func stamp(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := t.AsTime().Format(time.RFC3339Nano)
	return &text
}

// moment is a time in a table.
func moment(t *timestamppb.Timestamp) string {
	if t == nil {
		return "-"
	}
	return t.AsTime().Format("2006-01-02 15:04:05Z")
}

// word is the end of an enum's name in lower case, as the API has it; empty
// for the unspecified one.
func word(enum fmt.Stringer, prefix string) string {
	w := strings.ToLower(strings.TrimPrefix(enum.String(), prefix))
	if w == "unspecified" {
		return ""
	}
	return w
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

package telemetry

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// messageWidth is where the facts of most lines begin, one below the other.
const messageWidth = 28

// console writes one short line per record, for a person at a terminal:
//
//	15:04:05 listening                    address=127.0.0.1:8080
//	15:04:06 WARN router is away          since="2 s"
//
// Nothing that a record holds can break out of its line or move the cursor.
type console struct {
	level slog.Level
	out   *lockedWriter
	// prefix is the open groups, facts what WithAttrs added, already written.
	prefix string
	facts  string
}

// lockedWriter is shared by all handlers of one log.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func newConsole(out io.Writer, level slog.Level) *console {
	return &console{level: level, out: &lockedWriter{w: out}}
}

// Enabled implements slog.Handler.
func (c *console) Enabled(_ context.Context, level slog.Level) bool { return level >= c.level }

// Handle implements slog.Handler. A line is written at once and whole.
func (c *console) Handle(_ context.Context, r slog.Record) error {
	var head, facts strings.Builder
	if !r.Time.IsZero() {
		head.WriteString(r.Time.Format("15:04:05 "))
	}
	text := escaped(r.Message)
	if r.Level != slog.LevelInfo {
		text = r.Level.String() + " " + text
	}
	facts.WriteString(c.facts)
	r.Attrs(func(a slog.Attr) bool {
		writeFact(&facts, c.prefix, a)
		return true
	})
	head.WriteString(text)
	if facts.Len() > 0 {
		head.WriteString(strings.Repeat(" ", max(0, messageWidth-len([]rune(text)))))
		head.WriteString(facts.String())
	}
	head.WriteByte('\n')
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	_, err := io.WriteString(c.out.w, head.String())
	return err
}

// WithAttrs implements slog.Handler.
func (c *console) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	b.WriteString(c.facts)
	for _, a := range attrs {
		writeFact(&b, c.prefix, a)
	}
	n := *c
	n.facts = b.String()
	return &n
}

// WithGroup implements slog.Handler.
func (c *console) WithGroup(name string) slog.Handler {
	if name == "" {
		return c
	}
	n := *c
	n.prefix += name + "."
	return &n
}

func writeFact(b *strings.Builder, prefix string, a slog.Attr) {
	value := a.Value.Resolve()
	switch {
	case a.Key == "" && value.Kind() != slog.KindGroup:
		return
	case value.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range value.Group() {
			writeFact(b, prefix, inner)
		}
		return
	}
	b.WriteString(" " + escaped(prefix+a.Key) + "=" + quoted(value.String()))
}

// escaped makes text safe to show without quotes.
func escaped(s string) string {
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// quoted also marks where a value begins and ends, if that is in doubt.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " =\"\\") || strings.IndexFunc(s, unsafe) >= 0 {
		return strconv.Quote(s)
	}
	return s
}

// unsafe finds control characters, invisible ones, and bytes that are no text.
func unsafe(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

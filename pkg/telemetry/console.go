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

// messageWidth is the minimum width of the message. It aligns the attributes of most lines.
const messageWidth = 28

// console is a slog.Handler that writes one short line per record to a terminal:
//
//	15:04:05 listening                    address=127.0.0.1:8080
//	15:04:06 WARN connection to Redis lost since="2 s"
//
// It escapes all characters that could start a new line or move the cursor.
type console struct {
	level slog.Level
	out   *lockedWriter
	// prefix contains the names of the open groups, each followed by a dot.
	prefix string
	// attrs contains the encoded attributes of WithAttrs.
	attrs string
}

// lockedWriter is the output that all handlers of one log share.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func newConsole(out io.Writer, level slog.Level) *console {
	return &console{level: level, out: &lockedWriter{w: out}}
}

// Enabled implements slog.Handler.
func (c *console) Enabled(_ context.Context, level slog.Level) bool { return level >= c.level }

// Handle implements slog.Handler. It writes each line with one call, so that lines do not mix.
func (c *console) Handle(_ context.Context, r slog.Record) error {
	var head, attrs strings.Builder
	if !r.Time.IsZero() {
		head.WriteString(r.Time.Format("15:04:05 "))
	}
	text := escapeText(r.Message)
	if r.Level != slog.LevelInfo {
		text = r.Level.String() + " " + text
	}
	attrs.WriteString(c.attrs)
	r.Attrs(func(a slog.Attr) bool {
		writeAttr(&attrs, c.prefix, a)
		return true
	})
	head.WriteString(text)
	if attrs.Len() > 0 {
		head.WriteString(strings.Repeat(" ", max(0, messageWidth-len([]rune(text)))))
		head.WriteString(attrs.String())
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
	b.WriteString(c.attrs)
	for _, a := range attrs {
		writeAttr(&b, c.prefix, a)
	}
	n := *c
	n.attrs = b.String()
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

func writeAttr(b *strings.Builder, prefix string, a slog.Attr) {
	value := a.Value.Resolve()
	switch {
	case a.Key == "" && value.Kind() != slog.KindGroup:
		return
	case value.Kind() == slog.KindGroup:
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range value.Group() {
			writeAttr(b, prefix, inner)
		}
		return
	}
	b.WriteString(" " + escapeText(prefix+a.Key) + "=" + quoteValue(value.String()))
}

// escapeText escapes the unsafe characters of a text that is printed without quotes.
func escapeText(s string) string {
	if strings.IndexFunc(s, isUnsafe) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// quoteValue adds quotes if readers could not see where the value ends.
func quoteValue(s string) string {
	if s == "" || strings.ContainsAny(s, " =\"\\") || strings.IndexFunc(s, isUnsafe) >= 0 {
		return strconv.Quote(s)
	}
	return s
}

// isUnsafe reports whether r is a control character, an invisible character or an invalid byte.
func isUnsafe(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

// line is what one record looks like, with a fixed time.
func line(t *testing.T, with func(slog.Handler) slog.Handler, level slog.Level, message string, args ...any) string {
	t.Helper()
	var out bytes.Buffer
	var h slog.Handler = newConsole(&out, slog.LevelDebug)
	if with != nil {
		h = with(h)
	}
	r := slog.NewRecord(time.Date(2026, 11, 1, 9, 5, 7, 0, time.UTC), level, message, 0)
	r.Add(args...)
	require.NoError(t, h.Handle(t.Context(), r))
	return out.String()
}

// lazy is a value that decides how it is logged.
type lazy string

func (l lazy) LogValue() slog.Value { return slog.GroupValue(slog.String("inner", string(l))) }

func TestConsoleLine(t *testing.T) {
	tests := []struct {
		name    string
		level   slog.Level
		message string
		args    []any
		want    string
	}{
		{"alone", slog.LevelInfo, "listening", nil, "09:05:07 listening\n"},
		{"facts are aligned", slog.LevelInfo, "listening", []any{"address", "127.0.0.1:8080", "n", 3},
			"09:05:07 listening                    address=127.0.0.1:8080 n=3\n"},
		{"level", slog.LevelWarn, "router is away", []any{"since", "2 s"},
			"09:05:07 WARN router is away          since=\"2 s\"\n"},
		{"long message", slog.LevelInfo, strings.Repeat("m", 40), []any{"k", "v"},
			"09:05:07 " + strings.Repeat("m", 40) + " k=v\n"},
		{"error", slog.LevelError, "failed", []any{"error", errors.New("a=b")},
			"09:05:07 ERROR failed                 error=\"a=b\"\n"},
		{"empty value", slog.LevelInfo, "m", []any{"k", ""}, "09:05:07 m                            k=\"\"\n"},
		{"group", slog.LevelInfo, "m", []any{slog.Group("a", "b", 1, slog.Group("c", "d", 2)), slog.Group("empty")},
			"09:05:07 m                            a.b=1 a.c.d=2\n"},
		{"secret", slog.LevelInfo, "m", []any{"key", config.Secret("hunter2")}, "09:05:07 m                            key=***\n"},
		{"a value that resolves itself", slog.LevelInfo, "m", []any{"k", lazy("v")}, "09:05:07 m                            k.inner=v\n"},
		{"other scripts stay", slog.LevelInfo, "m", []any{"name", "Zo\u00eb"}, "09:05:07 m                            name=Zo\u00eb\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, line(t, nil, tt.level, tt.message, tt.args...))
		})
	}
}

func TestConsoleKeepsWhatWasAdded(t *testing.T) {
	with := func(h slog.Handler) slog.Handler {
		return h.WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g").WithGroup("").WithAttrs([]slog.Attr{slog.Int("b", 2)})
	}
	require.Equal(t, "09:05:07 m                            a=1 g.b=2 g.c=3\n", line(t, with, slog.LevelInfo, "m", "c", 3))
}

func TestConsoleSiblingsDoNotShare(t *testing.T) {
	var out bytes.Buffer
	base := slog.New(newConsole(&out, slog.LevelInfo)).With("a", 1)
	first, second := base.With("b", 2), base.With("c", 3)
	first.Info("first")
	second.Info("second")
	lines := strings.Split(out.String(), "\n")
	require.True(t, strings.HasSuffix(lines[0], " a=1 b=2"), lines[0])
	require.True(t, strings.HasSuffix(lines[1], " a=1 c=3"), lines[1])
}

func TestConsoleEscapes(t *testing.T) {
	for _, nasty := range []string{"a\nb", "a\r", "\x1b[31mred", "a\x00", "\u202egnp", "\x9b", "\xff", "a\u2028b", "tab\t"} {
		got := line(t, nil, slog.LevelInfo, "m"+nasty, "k"+nasty, "v"+nasty)
		require.Equal(t, 1, strings.Count(got, "\n"), "%q", got)
		require.True(t, utf8.ValidString(got), "%q", got)
		require.Less(t, strings.IndexFunc(strings.TrimSuffix(got, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }), 0, "%q", got)
	}
}

func TestConsoleLevel(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(newConsole(&out, slog.LevelWarn))
	log.Info("quiet")
	log.Warn("loud")
	require.NotContains(t, out.String(), "quiet")
	require.Contains(t, out.String(), "WARN loud")
}

// pieces is a writer that would mix lines if two writes met in it.
type pieces struct {
	busy sync.Mutex
	n    int
}

func (p *pieces) Write(b []byte) (int, error) {
	if !p.busy.TryLock() {
		return 0, errors.New("two lines at once")
	}
	defer p.busy.Unlock()
	runtime.Gosched() // lets another writer come, if it can
	p.n++
	return len(b), nil
}

func TestConsoleConcurrentUse(t *testing.T) {
	var out pieces
	h := newConsole(&out, slog.LevelInfo)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			log := h.WithAttrs([]slog.Attr{slog.Int("a", 1)})
			for range 200 {
				if err := log.Handle(t.Context(), slog.Record{Message: "m"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1600, out.n)
}

package dispatch_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// bursts is a stream whose events come in groups. An empty payload is the pause between two
// groups.
type bursts struct{ events }

func (b *bursts) Ready() bool { return len(b.payloads) > 0 && b.payloads[0] != "" }

func (b *bursts) Next() ([]byte, error) {
	for len(b.payloads) > 0 && b.payloads[0] == "" {
		b.payloads = b.payloads[1:]
	}
	return b.events.Next()
}

// writes stores every write separately.
type writes struct{ all []string }

func (w *writes) Commit(decide.Candidate, []string) {}
func (w *writes) Send(frames []byte) error {
	w.all = append(w.all, string(frames))
	return nil
}

func TestEventsThatCameTogetherGoTogether(t *testing.T) {
	long := strings.Replace(deltaA, `"a"`, `"`+strings.Repeat("x", 12<<10)+`"`, 1)
	stream := func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Events: &bursts{events{ctx: ctx, end: io.EOF, payloads: []string{
			deltaA, "", deltaB, deltaA, deltaB, "", deltaB, "", long, long, long, finish,
		}}}}, nil
	}
	out := &writes{}
	res := dispatch.Run(t.Context(), job(t, streamBody, upstreams{"one": stream}), out)
	require.NoError(t, res.Err)
	var texts []string
	for _, w := range out.all {
		texts = append(texts, strings.Repeat(".", strings.Count(w, `"content":"`)))
	}
	// The frame with the role is sent together with the first content.
	require.Equal(t, []string{"..", "...", ".", "..", "."}, texts, "one write a group, long ones apart")
	require.NotContains(t, strings.Join(out.all, ""), "[DONE]", "the caller's to send")
}

func TestAWholeStreamAtOnceIsCommitted(t *testing.T) {
	stream := func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Events: &bursts{events{ctx: ctx, end: io.EOF, payloads: []string{deltaA, deltaB, finish}}}}, nil
	}
	res, out := run(t, streamBody, upstreams{"one": stream})
	require.NoError(t, res.Err)
	require.Equal(t, []decide.Candidate{small}, out.committed)
	require.Equal(t, small, res.Served)
	require.True(t, res.Committed)
	whole := out.text.String() + string(res.FinalFrames)
	require.Equal(t, 1, strings.Count(whole, `"content":"a"`))
	require.True(t, strings.HasSuffix(whole, "data: [DONE]\n\n"))
}

func TestContentBeforeAFailureIsSent(t *testing.T) {
	for name, payloads := range map[string][]string{
		"error event": {deltaA, deltaB, `{"error":{"message":"no"}}`},
		"end":         {deltaA, deltaB},
	} {
		stream := func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
			return &provider.Response{Status: 200, Events: &bursts{events{ctx: ctx, end: io.EOF, payloads: payloads}}}, nil
		}
		res, out := run(t, streamBody, upstreams{"one": stream})
		require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted), name)
		require.Contains(t, out.text.String(), `"content":"b"`, name)
		require.Len(t, res.Attempts, 1)
		require.Empty(t, res.FinalFrames)
	}
}

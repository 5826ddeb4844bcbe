package dispatch_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

const usageEvent = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`

// When every choice has finished, the response is complete, even if the connection breaks. The
// usage may arrive a little later.
func TestAFinishedResponseNeedsNoEndOfStream(t *testing.T) {
	for name, tc := range map[string]struct {
		end  error
		more []string
		want time.Duration
	}{
		"reset":                {errors.New("reset"), nil, 0},
		"silence":              {errHang, nil, 3 * time.Second},
		"silence behind usage": {errHang, []string{usageEvent}, time.Second},
	} {
		for _, body := range []string{streamBody, plainBody} {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				res, out := run(t, body, upstreams{"one": streams(tc.end, append([]string{deltaA, finish}, tc.more...)...)})
				require.NoError(t, res.Err, name)
				require.Equal(t, tc.want, time.Since(began), name)
				require.Equal(t, tc.more == nil, res.Estimated, name)
				if body == plainBody {
					require.Contains(t, string(res.Response.Body), `"content":"a"`)
					return
				}
				require.True(t, strings.HasSuffix(out.text.String()+string(res.FinalFrames), "data: [DONE]\n\n"), name)
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, leave)
		res := dispatch.Run(ctx, job(t, streamBody, upstreams{"one": streams(errHang, deltaA, finish)}), &sink{})
		require.True(t, apperr.Is(res.Err, apperr.ClientCancelled), "a client that left got no end")
	})
}

// late is a stream whose last event comes after a pause.
type late struct {
	events
	pause time.Duration
}

func (l *late) Next() ([]byte, error) {
	if len(l.payloads) == 1 {
		select {
		case <-time.After(l.pause):
		case <-l.ctx.Done():
			return nil, l.ctx.Err()
		}
	}
	return l.events.Next()
}

func lately(pause time.Duration, end error, payloads ...string) upstreams {
	return upstreams{"one": func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Events: &late{events{ctx: ctx, payloads: payloads, end: end}, pause}}, nil
	}}
}

func TestLateUsageIsWaitedFor(t *testing.T) {
	for _, body := range []string{streamBody, plainBody} {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, body, lately(2500*time.Millisecond, io.EOF, deltaA, finish, usageEvent))
			require.NoError(t, res.Err)
			require.Equal(t, catalog.Usage{Input: 3, Output: 2}, res.Usage)
			require.False(t, res.Estimated)
		})
	}
}

// The idle timeout starts with the last event; a slow event does not shorten it.
func TestPausesAreCountedFromTheLastEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, _ := run(t, streamBody, lately(2500*time.Millisecond, errHang, deltaA, deltaB))
		require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted))
		require.Equal(t, 5500*time.Millisecond, res.Attempts[0].Ended)
	})
}

// One of several choices may begin long after another has finished.
func TestEveryRequestedChoiceIsAwaited(t *testing.T) {
	two := strings.Replace(streamBody, `{`, `{"n":2,`, 1)
	other := strings.Replace(strings.Replace(deltaB, `"index":0`, `"index":1`, 1), `}}]`, `},"finish_reason":"stop"}]`, 1)
	for _, body := range []string{two, strings.Replace(two, `"stream":true,`, "", 1)} {
		synctest.Test(t, func(t *testing.T) {
			res, out := run(t, body, lately(2500*time.Millisecond, io.EOF, deltaA, finish, other))
			require.NoError(t, res.Err)
			require.Contains(t, out.text.String()+string(res.FinalFrames)+string(res.Response.Body), `"content":"b"`)

			for _, end := range []error{errors.New("reset"), errHang, sse.ErrNoDone} {
				res, _ = run(t, body, upstreams{"one": streams(end, deltaA, finish)})
				require.Error(t, res.Err, "%v: one of two is not all", end)
			}
			res, _ = run(t, body, upstreams{"one": streams(io.EOF, deltaA, finish)})
			require.NoError(t, res.Err, "an upstream may not know n, and says that this is all")
		})
	}
}

func TestABrokenStreamReportsTheSentTokens(t *testing.T) {
	res, _ := run(t, streamBody, upstreams{"one": streams(io.EOF, strings.Replace(deltaA, `"a"`, `"eight by"`, 1))})
	require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted))
	require.EqualValues(t, 2, apperr.From(res.Err).Details["tokens_sent"])
}

// A provider that broke off while it worked may bill the call. One that was never reached
// does not.
func TestBrokenConnectionsAreCharged(t *testing.T) {
	for phase, charged := range map[string]bool{
		"dns": false, "guard": false, "connect": false, "tls": false, "request": true, "response": true, "stream": true,
	} {
		broken := apperr.New(apperr.ProviderConnection, "reset").With("phase", phase)
		res, _ := run(t, plainBody, upstreams{"one": func(context.Context, provider.Call) (*provider.Response, error) { return nil, broken }})
		require.Equal(t, charged, res.Attempts[0].Usage != nil, phase)
		require.Equal(t, charged, res.Attempts[0].Estimated, phase)
	}
}

// The reported usage of a failed response is charged, for plain responses and streams.
func TestFailedResponsesAreCharged(t *testing.T) {
	const used = `"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}`
	whole := func(body string) script {
		return func(context.Context, provider.Call) (*provider.Response, error) {
			return &provider.Response{Status: 200, Body: []byte(body)}, nil
		}
	}
	for name, answer := range map[string]script{
		"an error":    whole(`{"error":{"message":"no"},` + used + `}`),
		"no choices":  whole(`{"choices":[],` + used + `}`),
		"bad choice":  whole(`{"choices":[{"index":0}],` + used + `}`),
		"bad stream":  streams(errors.New("reset"), deltaA, `{"choices":[],`+used+`}`),
		"error event": streams(io.EOF, `{"choices":[],`+used+`}`, `{"error":{"message":"no"}}`),
	} {
		res, _ := run(t, plainBody, upstreams{"one": answer})
		require.Error(t, res.Err, name)
		require.Equal(t, &catalog.Usage{Input: 7, Output: 3}, res.Attempts[0].Usage, name)
		require.False(t, res.Attempts[0].Estimated, name)
	}
}

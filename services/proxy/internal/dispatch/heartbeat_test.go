package dispatch_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// paced is a stream with a pause of two seconds before every event. The idle timeout is
// three seconds.
type paced struct{ events }

func (p *paced) Next() ([]byte, error) {
	select {
	case <-time.After(2 * time.Second):
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	}
	return p.events.Next()
}

func pacedStream(payloads ...string) upstreams {
	return upstreams{"one": func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Events: &paced{events{ctx: ctx, payloads: payloads, end: io.EOF}}}, nil
	}}
}

// A heartbeat is an empty payload.
func TestHeartbeatsKeepAStreamAlive(t *testing.T) {
	for _, body := range []string{streamBody, plainBody} {
		synctest.Test(t, func(t *testing.T) {
			res, out := run(t, body, pacedStream(deltaA, "", "", "", deltaB, finish))
			require.NoError(t, res.Err)
			text := out.text.String() + string(res.Response.Body)
			require.True(t, strings.Contains(text, `"content":"b"`) || strings.Contains(text, `"content":"ab"`), text)
		})
	}
}

// After the finish, heartbeats do not keep the client waiting for the end of the stream.
func TestHeartbeatsAfterTheFinishAreNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		res, _ := run(t, streamBody, pacedStream(deltaA, finish, "", "", "", "", "", ""))
		require.NoError(t, res.Err)
		require.Equal(t, 7*time.Second, time.Since(began), "three seconds after the finish")
	})
}

// Before the first event, only the first-token timeout counts, so that the next candidate
// gets the request.
func TestHeartbeatsAreNoFirstToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := pacedStream("", "", "", "", "", "", "", "", "", "", "", "", "", "", deltaA, finish)
		u["two"] = streams(io.EOF, deltaB, finish)
		res, out := run(t, streamBody, u)
		require.NoError(t, res.Err)
		require.Equal(t, large, res.Served)
		require.Equal(t, string(apperr.ProviderTimeout), res.Attempts[0].Code)
		require.NotContains(t, out.text.String(), `"content":"a"`)
	})
}

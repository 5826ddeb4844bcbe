package records_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// A publisher that repeats by itself what it cannot know to have failed would
// write it twice.
func TestAnEntryWhoseAnswerIsLostIsWrittenOnce(t *testing.T) {
	r := startRedis(t)
	p, err := records.NewRedis(relayThatLosesTheFirstAnswer(t, r.url), records.RedisConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.Error(t, p.Publish(r.ctx, numbered("a", 1, 2)))
	require.EqualValues(t, 2, r.raw.XLen(r.ctx, stream).Val())
	require.NoError(t, p.Publish(r.ctx, numbered("a", 3, 3)), "the next one has a connection of its own")
	require.EqualValues(t, 3, r.raw.XLen(r.ctx, stream).Val())
}

// relayThatLosesTheFirstAnswer stands before a Redis and breaks the connection
// when the first answer to an XADD is due.
func relayThatLosesTheFirstAnswer(t *testing.T, target string) string {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	var broken atomic.Bool
	go func(server string) {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go relay(client, server, &broken)
		}
	}(u.Host)
	u.Host = l.Addr().String()
	return u.String()
}

func relay(client net.Conn, server string, broken *atomic.Bool) {
	defer func() { _ = client.Close() }()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	var adding atomic.Bool
	go func() {
		_, _ = io.Copy(upstream, io.TeeReader(client, look(func(sent []byte) {
			if bytes.Contains(sent, []byte("xadd")) {
				adding.Store(true)
			}
		})))
		_ = upstream.Close()
	}()
	answer := make([]byte, 64<<10)
	for {
		n, err := upstream.Read(answer)
		if err != nil || adding.Load() && broken.CompareAndSwap(false, true) {
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}

type look func(sent []byte)

func (l look) Write(sent []byte) (int, error) {
	l(sent)
	return len(sent), nil
}

package records_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// A publisher must not repeat a command that may have succeeded, or records appear twice.
func TestAnEntryWhoseAnswerIsLostIsWrittenOnce(t *testing.T) {
	r := startRedis(t)
	p, err := records.NewRedisPublisher(relayThatLosesTheFirstAnswer(t, r.url), records.RedisPublisherConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.Error(t, p.Publish(r.ctx, numbered(prodA, 1, 2)))
	require.EqualValues(t, 1, r.raw.XLen(r.ctx, stream).Val())
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 3, 3)), "the next one has a connection of its own")
	require.EqualValues(t, 2, r.raw.XLen(r.ctx, stream).Val())
}

// Entries whose delivery was lost on the network are read again at once, without waiting for a
// claim.
func TestEntriesWhoseAnswerIsLostComeAgainAtOnce(t *testing.T) {
	r := startRedis(t)
	var broken atomic.Bool
	through := relayTo(t, r.url, func(asked []byte) bool {
		return !bytes.Contains(asked, []byte("$1\r\n>\r\n")) || !broken.CompareAndSwap(false, true)
	})
	s, err := records.NewRedisSource(through, records.RedisSourceConfig{Consumer: "one", ClaimAfter: time.Hour, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, r.publisher().Publish(r.ctx, numbered(prodA, 1, 3)))
	_, err = s.Next(r.ctx)
	require.Error(t, err)
	require.True(t, broken.Load())
	require.Equal(t, numbered(prodA, 1, 3), r.next(s).Entries)
}

// A slow Redis is not an unavailable one: everything works, but later.
func TestASlowRedisCarriesAllTheSame(t *testing.T) {
	r := startRedis(t)
	slow := relayTo(t, r.url, func([]byte) bool {
		<-time.After(soon)
		return true
	})
	p, err := records.NewRedisPublisher(slow, records.RedisPublisherConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	s, err := records.NewRedisSource(slow, records.RedisSourceConfig{Consumer: "one", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 500)))
	require.NoError(t, p.ReportState(r.ctx, records.ProducerState{Producer: prodA, Written: 500, At: time.Now()}))
	b := r.next(s)
	require.Equal(t, numbered(prodA, 1, 500), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 500}}, r.committed(p, prodA))
	require.NoError(t, p.Check(r.ctx))
}

// relayThatLosesTheFirstAnswer is a proxy in front of Redis that breaks the connection instead
// of returning the first response to an XADD.
func relayThatLosesTheFirstAnswer(t *testing.T, target string) string {
	t.Helper()
	var broken atomic.Bool
	return relayTo(t, target, func(asked []byte) bool {
		return !bytes.Contains(asked, []byte("xadd")) || !broken.CompareAndSwap(false, true)
	})
}

// relayTo is a proxy in front of Redis. It calls answer before it returns a response, with the
// last request. If answer returns false, the connection ends.
func relayTo(t *testing.T, target string, answer func(asked []byte) bool) string {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func(server string) {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go relay(client, server, answer)
		}
	}(u.Host)
	u.Host = l.Addr().String()
	return u.String()
}

func relay(client net.Conn, server string, answer func(asked []byte) bool) {
	defer func() { _ = client.Close() }()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	var asked atomic.Pointer[[]byte]
	go func() {
		_, _ = io.Copy(upstream, io.TeeReader(client, look(func(sent []byte) {
			last := bytes.Clone(sent)
			asked.Store(&last)
		})))
		_ = upstream.Close()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := upstream.Read(buf)
		if err != nil || !answer(*asked.Load()) {
			return
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

type look func(sent []byte)

func (l look) Write(sent []byte) (int, error) {
	l(sent)
	return len(sent), nil
}

package egress

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// secure is a server with TLS that counts its connections.
func secure(t *testing.T, http2 bool, h http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var conns atomic.Int64
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, &conns
}

func both(t *testing.T, s *httptest.Server) *Transport {
	t.Helper()
	c := New(Config{AllowPrivate: true, HTTP2: true, Roots: roots(s), TLSTimeout: patience})
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func echoBody(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(w, r.Body)
}

func TestHTTP2WhereTheUpstreamHasIt(t *testing.T) {
	for name, tt := range map[string]struct {
		http2 bool
		major int
	}{"has": {true, 2}, "has not": {false, 1}} {
		t.Run(name, func(t *testing.T) {
			s, conns := secure(t, tt.http2, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Accept-Encoding") != "" || r.ProtoMajor != tt.major {
					w.WriteHeader(http.StatusTeapot)
				}
				echoBody(w, r)
			})
			c := both(t, s)
			for range 3 {
				resp, err := post(t.Context(), t, c, s.URL, "hello")
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, resp.Status)
				_, first := resp.Body.(*Body)
				require.Equal(t, tt.major == 1, first)
				require.Equal(t, "hello", read(t, resp))
				require.NoError(t, resp.Body.Close())
			}
			want := int64(3 - tt.major) // one more to detect that there is no HTTP/2
			require.Equal(t, want, conns.Load())
		})
	}
}

func TestCallsShareAConnection(t *testing.T) {
	s, conns := secure(t, true, echoBody)
	c := both(t, s)
	_, err := post(t.Context(), t, c, s.URL, "x")
	require.NoError(t, err)
	var wg sync.WaitGroup
	errs := make(chan error, 32)
	for range cap(errs) {
		wg.Go(func() {
			resp, err := post(t.Context(), t, c, s.URL, "x")
			if err == nil {
				_, err = io.ReadAll(resp.Body)
			}
			errs <- err
		})
	}
	wg.Wait()
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	require.EqualValues(t, 1, conns.Load())
}

func TestPhasesOverHTTP2(t *testing.T) {
	s, _ := secure(t, true, echoBody)
	stranger := New(Config{AllowPrivate: true, HTTP2: true, TLSTimeout: patience})
	_, err := get(t, stranger, s.URL)
	require.Equal(t, "tls: the certificate is not valid for the host", requirePhase(t, err, PhaseTLS).Error())

	_, err = get(t, both(t, s), "https://127.0.0.1:1")
	require.Equal(t, "connect: connection refused", requirePhase(t, err, PhaseConnect).Error())

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	slow := New(Config{AllowPrivate: true, HTTP2: true, TLSTimeout: 10 * time.Millisecond})
	_, err = get(t, slow, "https://"+silent.Addr().String())
	require.True(t, requirePhase(t, err, PhaseTLS).Timeout())
}

func TestContextEndsACallOverHTTP2(t *testing.T) {
	gone := make(chan struct{})
	s, _ := secure(t, true, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "some")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := post(ctx, t, both(t, s), s.URL, "x")
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, make([]byte, 4))
	require.NoError(t, err)
	cancel()
	_, err = io.ReadAll(resp.Body)
	require.ErrorIs(t, err, context.Canceled)
	<-gone
}

// net/http would continue to read a body whose memory is already reused.
func TestBodyIsLeftAloneAfterARefusal(t *testing.T) {
	told, gone := make(chan struct{}), make(chan struct{})
	s, _ := secure(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_ = http.NewResponseController(w).Flush()
		<-told
		_, _ = io.WriteString(w, "big")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	body := bytes.Repeat([]byte("y"), 16<<20)
	p := posted(t, s.URL, "")
	p.Pieces = [][]byte{body}
	resp, err := both(t, s).Call(t.Context(), p)
	require.NoError(t, err)
	clear(body) // the race detector reports any later read
	require.Equal(t, http.StatusRequestEntityTooLarge, resp.Status)
	close(told)
	reason := make([]byte, 3)
	_, err = io.ReadFull(resp.Body, reason)
	require.NoError(t, err)
	require.Equal(t, "big", string(reason))
	require.NoError(t, resp.Body.Close())
	<-gone
}

// An upstream that responds early and continues to read gets the whole body. Call returns when the body
// was sent.
func TestAnEarlyResponseOverHTTP2(t *testing.T) {
	got := make(chan int64, 1)
	s, _ := secure(t, true, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		n, _ := io.Copy(io.Discard, r.Body)
		got <- n
	})
	body := bytes.Repeat([]byte("y"), 8<<20)
	p := posted(t, s.URL, "")
	p.Pieces = [][]byte{body}
	resp, err := both(t, s).Call(t.Context(), p)
	require.NoError(t, err)
	clear(body)
	require.Empty(t, read(t, resp))
	require.EqualValues(t, len(body), <-got)
}

// rejectStreams speaks just enough HTTP/2 to read one request and to reject it with the frame.
func rejectStreams(frame string) script {
	return func(_ *testing.T, c net.Conn, r *bufio.Reader) {
		_, _ = r.Discard(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		_, _ = io.WriteString(c, "\x00\x00\x00\x04\x00\x00\x00\x00\x00") // SETTINGS
		for {
			head := make([]byte, 9)
			if _, err := io.ReadFull(r, head); err != nil {
				return
			}
			_, _ = r.Discard(int(head[0])<<16 | int(head[1])<<8 | int(head[2]))
			if isData, isLast := head[3] == 0, head[4]&1 == 1; isData && isLast {
				_, _ = io.WriteString(c, frame)
			}
		}
	}
}

// net/http would send a rejected request again on its own.
func TestWrittenRequestIsSentOnceOverHTTP2(t *testing.T) {
	s, _ := secure(t, true, echoBody)
	for name, frame := range map[string]string{
		"going away":     "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"refused stream": "\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07",
		"protocol error": "\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x01",
	} {
		t.Run(name, func(t *testing.T) {
			serve := overTLS(s.TLS.Certificates, rejectStreams(frame), "h2")
			u := listen(t, serve, serve)
			c := both(t, s)
			_, err := post(t.Context(), t, c, strings.Replace(u.url, "http:", "https:", 1), "hello")
			require.True(t, requirePhase(t, err, PhaseRequest).Stale)
			require.EqualValues(t, 1, u.conns.Load())
			c.CloseIdleConnections()
		})
	}
}

// A body that was not read can be lent again, and each copy ends separately. A body that was read
// is not lent again.
func TestLoan(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://acme.example", strings.NewReader("hello"))
	require.NoError(t, err)
	l := newBodyLoan(req)
	own := l.request(req)
	require.NoError(t, own.Body.Close())
	again, err := own.GetBody()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	l.waitSent(ctx)
	require.Error(t, ctx.Err(), "the first one's end is not the second one's")
	b, err := io.ReadAll(again)
	require.NoError(t, err)
	require.Equal(t, "hello", string(b))
	_, err = own.GetBody()
	require.ErrorIs(t, err, errBodyUsed)
	l.waitSent(t.Context())
	l.end()
	_, err = again.Read(make([]byte, 1))
	require.ErrorIs(t, err, errOver)
}

// A read error here would lose the response that is still being read.
func TestReadingAnEndedLoanWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://acme.example", strings.NewReader("hello"))
		require.NoError(t, err)
		l := newBodyLoan(req)
		body := l.request(req).Body
		l.end()
		ended := make(chan error, 1)
		go func() {
			_, err := body.Read(make([]byte, 1))
			ended <- err
		}()
		synctest.Wait()
		require.Empty(t, ended)
		require.NoError(t, body.Close())
		require.ErrorIs(t, <-ended, errOver)
	})
}

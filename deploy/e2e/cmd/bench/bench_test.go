package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serve runs a role on a free port until the test ends.
func serve(t *testing.T, role func(context.Context, net.Listener) error) string {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = role(t.Context(), lis)
	}()
	t.Cleanup(func() {
		_ = lis.Close()
		<-ended
	})
	return lis.Addr().String()
}

func drive(t *testing.T, address string, l load) outcome {
	g := &generator{address: address, path: "/v1", model: "m"}
	defer g.close()
	o := g.run(t.Context(), l, 50*time.Millisecond)
	require.NoError(t, o.first)
	require.NotEmpty(t, o.took)
	require.Equal(t, len(o.took), g.answered)
	return o
}

func TestEveryLoadIsAnswered(t *testing.T) {
	address := serve(t, serveUpstream)
	for _, l := range loads() {
		t.Run(l.name, func(t *testing.T) {
			require.Len(t, l.body("m"), l.bytes)
			o := drive(t, address, l)
			for _, took := range o.took {
				require.Positive(t, took.first)
				require.GreaterOrEqual(t, took.whole, took.first)
				if l.paced {
					require.GreaterOrEqual(t, took.whole, chunkCount*chunkPause)
				}
			}
		})
	}
}

func TestThePlainProxyForwards(t *testing.T) {
	drive(t, serve(t, forwardTo(serve(t, serveUpstream))), warmUp)
}

func TestAServerOfTheLibraryIsUnderstood(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.Header().Set("Connection", "close")
		for range chunkCount {
			_, _ = io.WriteString(w, "data: {}\n\n")
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	c := &client{address: server.Listener.Addr().String()}
	defer c.close()
	for range 2 {
		_, err := c.do(t.Context(), request(c.address, "", "k", "hello"), true)
		require.NoError(t, err)
		require.Equal(t, "hello", <-bodies)
	}
}

func TestWhatIsNoAnswerFails(t *testing.T) {
	whole := strings.Repeat("data: {}\n\n", chunkCount) + "data: [DONE]\n\n"
	for name, c := range map[string]struct {
		status int
		body   string
		stream bool
		want   string
	}{
		"whole stream":    {200, whole, true, ""},
		"whole answer":    {200, `{"usage":{}}`, false, ""},
		"refused":         {503, "busy", false, "status 503: busy"},
		"stream cut off":  {200, whole[:100], true, "without an end"},
		"stream too long": {200, "data: {}\n\n" + whole, true, "52 events"},
		"another answer":  {200, "{}", false, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(head{status: c.status}, []byte(c.body), c.stream)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestACutMessageIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
		"head":    "HTTP/1.1 200 OK\r\nContent-",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newWire(strings.NewReader(text)).readMessage()
			require.Error(t, err)
		})
	}
}

func TestProcesses(t *testing.T) {
	pid := os.Getpid()
	before, err := cpuTime(pid)
	require.NoError(t, err)
	for end := before + 2*tick; before < end; {
		before, err = cpuTime(pid) // costs what is being waited for
		require.NoError(t, err)
	}
	mib, err := memory(pid)
	require.NoError(t, err)
	require.Greater(t, mib, 1.0)
	busy, all, err := machine()
	require.NoError(t, err)
	require.Less(t, busy, all)
}

func TestFigures(t *testing.T) {
	var o outcome
	for i := range 200 {
		o.add(timing{first: time.Microsecond, whole: time.Duration(200-i) * time.Microsecond}, nil)
	}
	o.lasted = 2 * time.Second
	f := compute(o, gauge{}, gauge{
		peer: 20 * time.Millisecond, ours: 30 * time.Millisecond, busy: 130 * time.Millisecond, whole: time.Second,
	})
	require.InDelta(t, 100, f.rate, 0)
	require.InDelta(t, 100, f.cpu, 0)
	require.InDelta(t, 100, f.p50, 0)
	require.InDelta(t, 198, f.p99, 0)
	require.InDelta(t, 1, f.first, 0)
	require.InDelta(t, 10, f.foreign, 1e-9)
	require.InDelta(t, 2, median([]float64{9, 1, 2}), 0)
	require.InDelta(t, 1.5, median([]float64{2, 1}), 0)
}

func TestTables(t *testing.T) {
	var out bytes.Buffer
	b := &bench{out: &out, results: map[string]map[string][]figures{
		nameDirect: {"steady": {{p50: 100}, {p50: 300}, {p50: 100}}},
		nameAuto:   {"steady": {{p50: 600}, {p50: 500}, {p50: 1350}}},
	}}
	b.printTables()
	require.Regexp(t, `(?m)^ *signalbox auto +600 +500 `, out.String(), "added is the median of each round's difference")
	require.Regexp(t, `(?m)^ *must, for auto +<= 450 *$`, out.String())
	require.Regexp(t, `(?m)^ *aim +<= 50 +<= 48 *$`, out.String())
	require.Equal(t, "-1,234,568", thousands(-1234567.8))
	require.Equal(t, "999", thousands(999))
}

func TestTheLedgerMustHoldWhatWasAnswered(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/claim", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"token":"once"`)) {
			http.Error(w, "whose?", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s", Path: "/"})
	})
	mux.HandleFunc("GET /api/v1/impact", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"requests":3,"groups":[{"group":"fallback","requests":1},{"group":"expected","requests":2}]}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	var out bytes.Buffer
	b := &bench{out: &out}
	box := &signalbox{child: &child{address: server.Listener.Addr().String()}, claim: "once"}
	ours := peer{name: "ours"}
	require.NoError(t, b.checkRecords(t.Context(), ours, &target{box: box}, 3))
	require.Empty(t, b.problems)
	require.Equal(t, "ours: records: answered 3, stored 3 (expected 2, fallback 1)\n", out.String())
	require.NoError(t, b.checkRecords(t.Context(), ours, &target{box: box}, 4))
	require.Equal(t, []string{"ours: answered 4, stored 3"}, b.problems)
	box.claim = "taken"
	require.ErrorContains(t, b.checkRecords(t.Context(), ours, &target{box: box}, 3), "403 Forbidden: whose?")
}

func TestTheGreetingTellsAll(t *testing.T) {
	s := &signalbox{child: &child{}}
	for _, line := range []string{
		"Signalbox is running.", "  Base URL   http://127.0.0.1:4711/proxy/v1",
		"  Claim      http://127.0.0.1:4711/claim?token=once   (works once)", "  Key        sbx_live_abc   (shown only now)",
	} {
		require.False(t, s.greeted(line))
	}
	require.True(t, s.greeted("  curl -i http://127.0.0.1:4711/proxy/v1/chat/completions"))
	require.Equal(t, []string{"127.0.0.1:4711", "once", "sbx_live_abc"}, []string{s.address, s.claim, s.key})
}

func TestFailuresCountUnlessForgiven(t *testing.T) {
	var out bytes.Buffer
	b := &bench{out: &out}
	o := outcome{failed: 2, took: make([]timing, 3), first: io.ErrUnexpectedEOF}
	b.note(peer{name: "plain", forgiven: true}, warmUp, o)
	require.Empty(t, b.problems)
	require.Equal(t, "note: plain: warm-up: 2 of 5 requests failed, first: unexpected EOF\n", out.String())
	b.note(peer{name: "ours"}, warmUp, o)
	require.Len(t, b.problems, 1)
	b.note(peer{name: "ours"}, warmUp, outcome{})
	require.Len(t, b.problems, 1)
}

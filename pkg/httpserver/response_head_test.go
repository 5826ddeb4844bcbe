package httpserver_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

var dateLine = regexp.MustCompile(`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n`)

// exchangeRaw sends one request to a handler and returns all that the server sends.
func exchangeRaw(t *testing.T, raw string, h http.HandlerFunc) string {
	t.Helper()
	s := serve(t, httpserver.Config{Handler: h, DrainLimit: patience})
	conn := dial(t, s)
	_, err := conn.Write([]byte(raw + "\r\n\r\n"))
	require.NoError(t, err)
	require.NoError(t, conn.(interface{ CloseWrite() error }).CloseWrite())
	all, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(dateLine.ReplaceAll(all, nil))
}

func TestResponsesAreFramed(t *testing.T) {
	const get, head = "GET / HTTP/1.1\r\nHost: h", "HEAD / HTTP/1.1\r\nHost: h"
	write := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{"a/b"}
			_, _ = io.WriteString(w, text)
		}
	}
	flush := func(texts ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{"a/b"}
			for _, text := range texts {
				_, _ = io.WriteString(w, text)
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
	tests := []struct {
		name, raw string
		serve     http.HandlerFunc
		want      string
	}{
		{"short", get, write("hello"), "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello"},
		{"nothing", get, func(http.ResponseWriter, *http.Request) {}, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"flushed", get, flush("hello", "you"), "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n"},
		{"flushed before the body", get, flush("", "you"), "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyou\r\n0\r\n\r\n"},
		{"HTTP/1.0", "GET / HTTP/1.0", write("hello"), "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"},
		{"HTTP/1.0, kept", "GET / HTTP/1.0\r\nConnection: Keep-Alive", write("hello"), "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"},
		{"HTTP/1.0, flushed", "GET / HTTP/1.0\r\nConnection: keep-alive", flush("hello", "you"), "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\nConnection: close\r\n\r\nhelloyou"},
		{"HEAD", head, write("hello"), "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\n"},
		{"HEAD, type guessed", head, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 6\r\n\r\n"},
		{"HEAD, flushed", head, flush("hello"), "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"HEAD, nothing", head, func(http.ResponseWriter, *http.Request) {}, "HTTP/1.1 200 OK\r\n\r\n"},
		{"no content", get, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "HTTP/1.1 204 No Content\r\n\r\n"},
		{"not modified", get, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, "HTTP/1.1 304 Not Modified\r\n\r\n"},
		{"a status without a text", get, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) }, "HTTP/1.1 599 \r\nContent-Length: 0\r\n\r\n"},
		{"the first status counts", get, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); w.WriteHeader(500) }, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"},
		{"headers that are set too late", get, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); w.Header().Set("A", "b") }, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"},
		{"the type is guessed", get, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 6\r\n\r\n<html>"},
		{"close", get, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
		{"faulty headers", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["A"] = []string{"b\r\nX: y", " c\t"}
			w.Header()["B: c\r\nD"] = []string{"e"}
			w.Header()["Transfer-Encoding"] = []string{"gzip"}
			w.Header()["Content-Length"] = []string{"-1"}
		}, "HTTP/1.1 200 OK\r\nA: b  X: y\r\nA: c\r\nContent-Length: 0\r\n\r\n"},
		{"trailers", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Trailer"] = []string{"X-Sum, x-rows", "X-None"}
			w.Header()["Content-Type"] = []string{"a/b"}
			_, _ = io.WriteString(w, "hello")
			w.Header().Set("X-Sum", "1\r\n2")
			w.Header().Set("X-Rows", "3")
		}, "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTrailer: X-Sum, x-rows\r\nTrailer: X-None\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1  2\r\nX-Rows: 3\r\n\r\n"},
		{"less than declared", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			w.Header()["Content-Type"] = []string{"a/b"}
			_, _ = io.WriteString(w, "hello")
		}, "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 9\r\nConnection: close\r\n\r\nhello"},
		{"more than declared", get, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			w.Header()["Content-Type"] = []string{"a/b"}
			_, _ = io.WriteString(w, "hello")
			_, err := io.WriteString(w, "you")
			_, _ = fmt.Fprint(w, err)
		}, "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, exchangeRaw(t, tt.raw, tt.serve)) })
	}
}

// Parts of any size and order arrive as they were written.
func TestLargeResponsesArriveWhole(t *testing.T) {
	var want bytes.Buffer
	sizes := []int{1, 100_000, 10, 16 << 10, 64 << 10, 3, 200_000, 65_000, 65_000}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, n := range sizes {
			_, _ = w.Write(bytes.Repeat([]byte{byte('a' + i)}, n))
			if i == len(r.URL.Path) {
				_ = http.NewResponseController(w).Flush()
			}
		}
	})
	for i, n := range sizes {
		want.Write(bytes.Repeat([]byte{byte('a' + i)}, n))
	}
	s := serve(t, httpserver.Config{Handler: h, DrainLimit: patience})
	for flushAt := range len(sizes) {
		require.Equal(t, want.String(), <-get(s.url+"/"+strings.Repeat("x", flushAt)))
	}
}

func TestAWriteAfterTheHandlerFails(t *testing.T) {
	writers := make(chan http.ResponseWriter, 1)
	s := serve(t, httpserver.Config{DrainLimit: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writers <- w })})
	require.Empty(t, <-get(s.url))
	w := <-writers
	require.Equal(t, http.StatusOK, say(t, s, ask).StatusCode, "the server has finished the response before")
	_, err := w.Write([]byte("late"))
	require.Error(t, err)
}

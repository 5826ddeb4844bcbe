package sse_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// pieces is a reader that returns at most n bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\ndata: [DONE]\n\n", ": x\r\nevent: y\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n", "data: [DONE]", "data: {}\r\rdata:[DONE]\r\r",
		"data: {}\ndata: {}\ndata: [DONE]\n", "data:\n\ndata:  \n\ndata: x\n\n", "\ufeffdata: {}\n\n\ufeffdata: {}\n\n", " {\"a\":\n\n1}\n", "{}\n{}", "data\ndata:{}",
		"data: [DONE]  \ndata: {}\n\n", "data:\n{}\n\ndata: [DONE]\n\n", "event: ping\ndata: ping\ndata: {}\n\n", "event: error\ndata: x\n\n", "data: {}\r\n\rdata: 1\n\r\n", strings.Repeat("data: "+strings.Repeat("x", 5000)+"\r", 2) + "\r",
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, n int) {
		want, done := eventsOf(stream)
		end := sse.ErrNoDone
		if done {
			end = io.EOF
		}
		for _, r := range []io.Reader{strings.NewReader(stream), pieces{strings.NewReader(stream), max(1, n%100)}} {
			got, err := drain(r)
			require.Equal(t, end, err)
			require.Len(t, got, len(want), "%q", got)
			for i := range want {
				require.Equal(t, strings.TrimSpace(want[i]), strings.TrimSpace(got[i]))
			}
		}
	})
}

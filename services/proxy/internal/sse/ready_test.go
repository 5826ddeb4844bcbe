package sse_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// The proxy delays a flush if Ready reports another event. Ready must not report
// an event that has not arrived.
func TestReady(t *testing.T) {
	for give, want := range map[string]bool{
		"data: {}\n\n":                 true,
		"data:{}\r\n\r\n":              true,
		"data: {}\r\r":                 true,
		": x\n\nid: 1\n\ndata: {}\n\n": true,
		"event: x\ndata: {}\n\ndat":    true,
		"data: [DONE]\n\n":             true,
		"":                             false,
		"data: {}":                     false,
		"data: {}\n":                   false,
		": ping\n\n":                   false,
		"data:\n\n":                    false,
		"data:  \n\n\n":                false,
		"event: x\n\n\n\n":             false,
		": ping\n\ndata: {}\n":         false,
	} {
		r, w := io.Pipe()
		e := sse.NewReader(r)
		require.False(t, e.Ready())
		go func() { _, _ = io.WriteString(w, "data: {}\n\n"+give) }()
		_, err := e.Next()
		require.NoError(t, err)
		require.Equal(t, want, e.Ready(), "%q", give)
		require.NoError(t, e.Close())
	}
	e := sse.NewReader(io.NopCloser(strings.NewReader("data: {}\n\ndata: [DONE]\n\ndata: {}\n\n")))
	for range 2 {
		_, _ = e.Next()
	}
	require.False(t, e.Ready(), "nothing comes after the end")
}

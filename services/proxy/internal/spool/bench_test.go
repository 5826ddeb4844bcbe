package spool

import (
	"bytes"
	"log/slog"
	"testing"
)

// BenchmarkRequest is what a request costs: a START and an END of 2 KB each.
func BenchmarkRequest(b *testing.B) {
	c := config(b, b.TempDir())
	c.Log = slog.New(slog.DiscardHandler)
	s := open(b, c)
	payload := bytes.Repeat([]byte("x"), 2048)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if s.Start(id(i), payload) != nil || s.End(id(i), payload) != nil {
			b.Fatal("refused")
		}
	}
}

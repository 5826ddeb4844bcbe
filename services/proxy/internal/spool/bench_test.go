package spool

import (
	"bytes"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
)

// BenchmarkAppend measures the cost per request: a START of 1 KB and an END with or
// without content.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 12 << 10} {
		b.Run(fmt.Sprintf("end=%dKB", size>>10), func(b *testing.B) { benchAppend(b, size) })
	}
}

func benchAppend(b *testing.B, size int) {
	c := config(b, b.TempDir())
	c.Log = slog.New(slog.DiscardHandler)
	c.MaxBytes = 1 << 40
	s := open(b, c)
	note, record := withHeadroom(make([]byte, 1<<10)), withHeadroom(bytes.Repeat([]byte("x"), size))
	b.ReportAllocs()
	began, i := cpu(b), 0
	for b.Loop() {
		i++
		if s.Start(id(i), note) != nil || s.End(id(i), record) != nil {
			b.Fatal("refused")
		}
	}
	b.ReportMetric(float64(cpu(b)-began)/float64(i), "cpu-ns/op")
}

// cpu returns the CPU time of the process, including background syncs.
func cpu(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

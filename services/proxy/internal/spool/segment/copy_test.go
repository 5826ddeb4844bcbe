package segment

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzCopyBare(f *testing.F) {
	f.Add([]byte(""), []byte("rubbish"), []byte{0xFF, 'S', 'B', 0xFE})
	f.Add(encoded(7, KindStart, 9, requestID(9), "whole|body")[:30], make([]byte, 100), encoded(7, KindEnd, 9, requestID(9), "more|body"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		one := encoded(7, KindEnd, 1001, requestID(1), "one|body")
		two := encoded(7, KindStart, 0, requestID(2), "two|body")
		data := slices.Concat(a, one, b, two, c)
		type found struct {
			Frame
			payload string
			off     int64
		}
		look := func(data []byte) (out []found, rest []byte) {
			end := 0
			Scan(7, data, func(off int, f Frame) {
				rest = append(rest, data[end:off]...)
				end = off + HeaderBytes + len(f.Payload)
				out = append(out, found{Frame{Kind: f.Kind, Seq: f.Seq, ID: f.ID}, string(f.Payload), int64(off)})
			})
			return out, append(rest, data[end:]...)
		}
		want, wantRest := look(data)
		made := CopyWithoutBodies(7, data, cutBody)
		for i, w := range want {
			want[i].off = made.NewOffset(w.off)
			if meta, had := cutBody([]byte(w.payload)); had && w.Kind == KindEnd {
				want[i].payload = string(meta)
			}
		}
		got, gotRest := look(made.Data)
		require.Equal(t, want, got)
		require.True(t, bytes.Equal(wantRest, gotRest), "damage stays as it is")
	})
}

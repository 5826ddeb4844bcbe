package jsonscan

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func isSpecial(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x80 }

// findAll returns the offsets of all special bytes.
func findAll(src []byte) (all []int) {
	for at := 0; ; {
		base, marks, width := findSpecialBytes(src, at)
		if marks == 0 {
			return all
		}
		for i := range width {
			if marks&(1<<i) != 0 {
				all = append(all, base+i)
			}
		}
		at = base + width
	}
}

// Every value at every offset of a block is recognized, in a long text and in a short one.
func TestFindSpecialBytes(t *testing.T) {
	for _, size := range []int{1, 7, 8, 9, 63, 64, 65, 130, 200} {
		for c := range 256 {
			for at := range size {
				src := bytes.Repeat([]byte("a"), size)
				src[at] = byte(c)
				want := []int(nil)
				if isSpecial(byte(c)) {
					want = []int{at}
				}
				require.Equal(t, want, findAll(src), "%#x at %d of %d", c, at, size)
			}
		}
	}
}

// Neighbours do not affect each other.
func TestFindSpecialBytesThatAreClose(t *testing.T) {
	src := make([]byte, 0, 3*256)
	for c := range 256 {
		src = append(src, byte(c), byte(c+1), byte(255-c))
	}
	var want []int
	for i, c := range src {
		if isSpecial(c) {
			want = append(want, i)
		}
	}
	require.Equal(t, want, findAll(src))
	for at := range len(src) - 8 {
		require.Equal(t, wantMarks(src[at:at+8]), collectMarks(markExactly(load(src[at:]))))
	}
}

func wantMarks(b []byte) (marks uint64) {
	for i, c := range b {
		if isSpecial(c) {
			marks |= 1 << i
		}
	}
	return marks
}

func load(b []byte) (word uint64) {
	for i := range 8 {
		word |= uint64(b[i]) << (8 * i)
	}
	return word
}

package jsonscan

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func isSpecial(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x80 }

// skipSlowly is skipText, byte by byte.
func skipSlowly(src []byte, at int) (end, escapes int, ascii bool) {
	ascii = true
	for ; at < len(src); at++ {
		switch c := src[at]; {
		case c == '\\' && at+1 < len(src) && shortEscapes[src[at+1]]:
			escapes++
			at++
		case c == '\\' || c == '"' || c < ' ':
			return at, escapes, ascii
		case c >= 0x80:
			ascii = false
		}
	}
	return at, escapes, ascii
}

func requireSkips(t *testing.T, src []byte, at int) {
	t.Helper()
	wantEnd, wantEscapes, wantASCII := skipSlowly(src, at)
	end, escapes, ascii := skipText(src, at)
	require.Equal(t, []any{wantEnd, wantEscapes, wantASCII}, []any{end, escapes, ascii}, "%q from %d", src, at)
	// Only the last 64 bytes are left to the slower code.
	if wide, _, _ := skipWideText(src, at); hasWideScan && wide != wantEnd {
		require.LessOrEqual(t, len(src)-wide, 64, "%q from %d", src, at)
	}
}

// Every value at every offset of a block is recognized, in a long text and in a short one, alone
// and after a backslash.
func TestSkipText(t *testing.T) {
	for _, size := range []int{1, 2, 7, 8, 9, 63, 64, 65, 130, 200} {
		for c := range 256 {
			for at := range size {
				src := bytes.Repeat([]byte("a"), size)
				src[at] = byte(c)
				requireSkips(t, src, 0)
				if at > 0 {
					src[at-1] = '\\'
					requireSkips(t, src, 0)
				}
			}
		}
	}
}

// Runs of backslashes of every length end at every offset of a block.
func TestSkipRunsOfBackslashes(t *testing.T) {
	for length := range 140 {
		for at := range 70 {
			for _, c := range []byte(`"nu`) {
				src := bytes.Repeat([]byte("a"), 256)
				copy(src[at:], bytes.Repeat([]byte(`\`), length))
				src[at+length] = c
				requireSkips(t, src, 0)
			}
		}
	}
}

// Texts are random, with many escapes. The scan starts at every offset.
func TestSkipRandomText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "word ", `\n`, `\\`, `\"`, `\t\t`, "é", "日本", `\/`, "long plain text without anything in it"}
	for range 2000 {
		var src []byte
		for len(src) < 300 {
			src = append(src, parts[random.IntN(len(parts))]...)
		}
		if stop := random.IntN(len(src)); random.IntN(2) == 0 {
			src = append(src[:stop], `\u0041"`...)
			src = append(src, bytes.Repeat([]byte("b"), 100)...)
		}
		for at := range 80 {
			requireSkips(t, src, at)
		}
	}
}

// Neighbours do not affect each other.
func TestMarksOfNeighbours(t *testing.T) {
	src := make([]byte, 0, 3*256)
	for c := range 256 {
		src = append(src, byte(c), byte(c+1), byte(255-c))
	}
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

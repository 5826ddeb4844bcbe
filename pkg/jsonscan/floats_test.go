package jsonscan_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

var floatArrays = []string{
	`[1]`, `[ 1 , -2.5 ]`, `[0.1,-0.0,12345678.12345678]`, "[1,\n2\t]", `[-4.547132266452536e-05,1E-3]`, `[123456789,1234567890123456]`,
	`[]`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `[1,`, `[1 `, `[01]`, `[1.]`, `[.5]`, `[-]`, `[1e5]`, `[1e+5]`, `[1e]`, `[1e-]`, `[1,"2"]`, `[null]`, `[NaN]`, `[[1]]`,
	`[1e-00000000000000000000000000000005]`, `[1e00000000000000000000000000000099]`, `[1}`, `[1.5x]`, `[12345678901234567890123456789012]`,
}

// readFloats reads the array token by token, and reports whether every element is a number in the
// range of float32.
func readFloats(text []byte) (count int, err error) {
	var r jsonscan.Reader
	r.Reset(text, true)
	r.Enter(jsonscan.BeginArray)
	for ; r.NextElement(); count++ {
		if _, err := strconv.ParseFloat(string(r.Value()), 32); err != nil {
			r.SetError(err)
		}
	}
	return count, r.Err()
}

// checkFloats compares SkipPlainFloats with reading every token. It may give up, but never
// accept anything else.
func checkFloats(t *testing.T, text []byte) {
	var r jsonscan.Reader
	r.Reset(text, true)
	if !r.Enter(jsonscan.BeginArray) {
		return
	}
	n := r.SkipPlainFloats()
	if n == 0 {
		require.Equal(t, 1, r.Offset()-strings.IndexByte(string(text), '['), "nothing is skipped")
		return
	}
	want, err := readFloats(text)
	require.NoError(t, err, "%s", text)
	require.Equal(t, want, n, "%s", text)
	require.False(t, r.NextElement(), "%s", text)
	require.NoError(t, r.Err(), "%s", text)
	require.Equal(t, byte(']'), text[r.Offset()-1], "%s", text)
}

func TestSkipPlainFloats(t *testing.T) {
	for i, text := range floatArrays {
		var r jsonscan.Reader
		r.Reset([]byte(text), true)
		require.True(t, r.Enter(jsonscan.BeginArray))
		require.Equal(t, i < 6, r.SkipPlainFloats() > 0, text)
		checkFloats(t, []byte(text))
	}
	var r jsonscan.Reader
	r.Reset([]byte(`[1,2]`), true)
	require.Zero(t, r.SkipPlainFloats(), "outside of an array")
	r.Enter(jsonscan.BeginArray)
	r.Value()
	require.Zero(t, r.SkipPlainFloats(), "after the first element")
	r.SetError(strconv.ErrRange)
	require.Zero(t, r.SkipPlainFloats(), "after an error")
}

func FuzzSkipPlainFloats(f *testing.F) {
	for _, text := range floatArrays {
		f.Add([]byte(text))
	}
	f.Fuzz(checkFloats)
}

func BenchmarkFloats(b *testing.B) {
	numbers := make([]string, 1536)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%.16f", math.Sin(float64(i+1))/40)
	}
	text := []byte("[" + strings.Join(numbers, ",") + "]")
	for name, read := range map[string]func(*jsonscan.Reader){
		"skip":   func(r *jsonscan.Reader) { r.SkipPlainFloats() },
		"tokens": func(*jsonscan.Reader) {},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var r jsonscan.Reader
			for b.Loop() {
				r.Reset(text, true)
				r.Enter(jsonscan.BeginArray)
				read(&r)
				for r.NextElement() {
					r.Value()
				}
			}
		})
	}
}

package bodyreader

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// Padding occupies no memory, wherever it is, and the value stays the same.
func TestPaddingIsNotKept(t *testing.T) {
	const megabyte = 1 << 20
	pad := strings.Repeat(" \n\t\r", megabyte/4)
	content := strings.Repeat(" ", 3000)
	for name, tt := range map[string]struct {
		body string
		most int64
	}{
		"before":                {pad + `{"a":1}`, 64 << 10},
		"after":                 {`{"a":1}` + pad, 64 << 10},
		"between tokens":        {`{"a":` + pad + `1,` + pad + `"b \" \\":` + pad + `"` + content + `"` + pad + `}`, 64 << 10},
		"inside a string":       {`{"a":"` + strings.Repeat(" ", megabyte) + `"}`, 4 * megabyte},
		"after an odd string":   {`{"a":"\\\"` + content + `\\` + content + `"` + pad + `}`, 64 << 10},
		"between two numbers":   {`[1` + pad + `2]`, 64 << 10},
		"indented as usual":     {`[` + strings.Repeat("\n    1,", megabyte/8) + `1]`, 4 * megabyte},
		"nothing but padding":   {pad + pad, 64 << 10},
		"padding in one letter": {strings.Repeat(" ", 3*megabyte) + `"x"`, 64 << 10},
	} {
		for form, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader} {
			t.Run(name+", "+form, func(t *testing.T) {
				g := newRig(8*megabyte, 64*megabyte)
				x := g.enter(t, "key")
				got, err := x.readAll(reader(strings.NewReader(tt.body)), min(int64(len(tt.body)), maxInitial), int64(len(tt.body)))
				require.NoError(t, err)
				require.LessOrEqual(t, g.gate.Load().Bytes, tt.most)
				require.Equal(t, compacted(tt.body), compacted(string(got)))
			})
		}
	}
	_, err := newRig(megabyte, 64*megabyte).enter(t, "key").readAll(strings.NewReader(pad+pad), unknownInitial, megabyte)
	require.ErrorIs(t, err, errTooLong, "padding counts against the limit")
}

// compacted returns the value without white space, or the error of a body that is not valid.
func compacted(body string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(body)) != nil {
		return "not valid"
	}
	return b.String()
}

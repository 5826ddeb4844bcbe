package jsonscan_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// scan returns all tokens of a text, or the error.
func scan(text []byte, lenient bool) (tokens []string, err error) {
	var s jsonscan.Scanner
	s.Reset(text, lenient)
	for {
		kind := s.PeekKind()
		raw, err := s.ReadToken()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, string(raw))
		if kind == jsonscan.Invalid || string(text[s.Offset()-len(raw):s.Offset()]) != string(raw) {
			return nil, errors.New("the token is not where it says")
		}
		if s.Depth() == 0 {
			break
		}
	}
	if err := s.CheckEnd(); err != nil {
		return nil, err
	}
	return tokens, nil
}

// reference does the same as scan with a decoder that shares no code with the
// scanner.
func reference(text []byte, lenient bool) (tokens []string, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(lenient), jsontext.AllowDuplicateNames(lenient))
	for {
		var raw []byte
		switch dec.PeekKind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray, jsontext.KindEndObject, jsontext.KindEndArray:
			token, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			raw = []byte{byte(token.Kind())}
		default:
			if raw, err = dec.ReadValue(); err != nil {
				return nil, err
			}
		}
		tokens = append(tokens, string(raw))
		if dec.StackDepth() == 0 {
			break
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data")
	}
	return tokens, nil
}

var texts = []string{
	``, ` `, `{}`, `[]`, ` { } `, `null`, `true`, `false`, `nul`, `truex`, `"a"`, `"`, `"\`, `"\u12`, `"\uD834\uDD1E"`, `"\uD834"`, `"\uDD1E"`,
	`"\uD834\u0041"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\xc3\xa9\"", "\"aaaaaaa\xc3\xa9aaaaaaaaa\\n\"", `0`, `-0`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `1E-7`, `-12.5e+3`,
	`[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `]`, `{"a":1}`, `{"a" 1}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
	`{"a":{"a":[{"a":1}]},"b":{"a":1}}`, `{}{}`, `{} x`, "\ufeff{}", `{"a":"b","c":[true,false,null,-1.5e3,"\"\\\/\b\f\n\r\t"]}`,
	`"` + strings.Repeat("x", 100) + `\"` + strings.Repeat("é", 50) + `"`, `[[[[]]],{"":{}}]`, `{"a":1:2}`, `["a":1]`, `1,2`, `"ab` + "\n" + `"`,
}

func objectWithNames(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		b.WriteString(`"k` + strconv.Itoa(i) + `":{"k0":` + strconv.Itoa(i) + `},`)
	}
	return b.String() + `"` + last + `":0}`
}

func TestAcceptsWhatTheReferenceAccepts(t *testing.T) {
	for _, text := range append(texts, objectWithNames(40, "new"), objectWithNames(40, "k7"), objectWithNames(12, "k11"), objectWithNames(13, "k12"), objectWithNames(40, `\u006b7`)) {
		compare(t, []byte(text))
	}
}

// An escape, a surrogate pair or a character may begin in one block and end in the next.
func TestBlockBoundaries(t *testing.T) {
	for n := range 140 {
		for _, text := range []string{`\"`, `\\`, `\\"`, `\u00e9`, `\ud834\udd1e`, `\ud834`, "é", "\xc3", `"`, "\x1f", `\x`} {
			compare(t, []byte(`["`+strings.Repeat("x", n)+text+strings.Repeat("y", 70)+`","z"]`))
		}
	}
}

func compare(t *testing.T, text []byte) {
	for _, lenient := range []bool{false, true} {
		want, wantErr := reference(text, lenient)
		got, err := scan(text, lenient)
		require.Equal(t, wantErr == nil, err == nil, "%q lenient=%t: reference %v, scanner %v", text, lenient, wantErr, err)
		require.Equal(t, want, got, "%q", text)
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte(objectWithNames(14, "k3")))
	f.Fuzz(func(t *testing.T, text []byte) { compare(t, text) })
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	_, err := scan([]byte(`{"a":[1,{"b":2,"b":3}]}`), false)
	var e *jsonscan.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 15, e.Offset)
	require.Equal(t, "/a/1/b", e.Path)
	require.Contains(t, e.Text, "duplicate")
	_, err = scan([]byte("  "), false)
	require.ErrorIs(t, err, io.EOF)
	_, err = scan([]byte(`{"a":1}}`), false)
	require.ErrorContains(t, err, "unexpected data")
	_, err = scan([]byte(`{"a":`), false)
	require.ErrorContains(t, err, "unexpected EOF")
}

// A body that is rejected late must not cost a second, slower pass over all of
// it. Its error has a shorter explanation.
func TestLateErrorsAreNotExplainedAtLength(t *testing.T) {
	long := `[` + strings.Repeat(`"x",`, 1<<18)
	for _, tc := range []struct{ text, want string }{
		{long + `{"a":1,"a":2}]`, "duplicate name"},
		{long + `tru]`, "invalid JSON"},
		{`["` + strings.Repeat("x", 1<<20) + `\x"]`, "invalid JSON"},
	} {
		_, err := scan([]byte(tc.text), false)
		var e *jsonscan.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, tc.want, e.Text)
		require.Empty(t, e.Path)
	}
	_, err := scan([]byte(long+`{"a":1,"a":2}]`), false)
	require.ErrorContains(t, err, "at offset "+strconv.Itoa(len(long)+len(`{"a":1,`)))
}

func TestPortabilityErrors(t *testing.T) {
	for text, want := range map[string]int{
		`{"a":1e400}`: 5, `[1,-1E999]`: 3, `[1` + strings.Repeat("0", 400) + `]`: 1, `[1e-400,1e308,12345678901234567890]`: -1,
		`{"` + strings.Repeat("n", 5000) + `":1}`: 1, `{"` + strings.Repeat("n", 4000) + `":1e400}`: 4004, `{"a":"` + strings.Repeat("n", 5000) + `"}`: -1,
	} {
		for _, lenient := range []bool{false, true} {
			var s jsonscan.Scanner
			s.Reset([]byte(text), lenient)
			for s.Depth() > 0 || s.Offset() == 0 {
				_, err := s.ReadToken()
				require.NoError(t, err)
			}
			require.Equal(t, want >= 0 && !lenient, s.PortabilityError() != nil, "%.20s", text)
			if s.PortabilityError() != nil {
				require.Equal(t, want, s.PortabilityError().Offset, "%.20s", text)
			}
		}
	}
}

func TestEscapeOverhead(t *testing.T) {
	for _, text := range []string{`""`, `"abc"`, `"\n\\\""`, `"\u0041\u00e9\u20ac"`, `"x\ud83d\ude00y"`, `"\u0430\u0431 \u0432"`} {
		var s jsonscan.Scanner
		s.Reset([]byte(text), false)
		_, err := s.ReadToken()
		require.NoError(t, err)
		plain, err := jsontext.AppendUnquote(nil, text)
		require.NoError(t, err)
		require.Equal(t, len(text)-2-len(plain), s.EscapeOverhead(), text)
	}
}

func TestNamesAreCounted(t *testing.T) {
	var s jsonscan.Scanner
	s.Reset([]byte(`{"a":[1],"b":2}`), false)
	var counts []int
	for range 8 {
		_, err := s.ReadToken()
		require.NoError(t, err)
		if n, last := s.CountNames(); last {
			counts = append(counts, n)
		}
	}
	require.Equal(t, []int{1, 2}, counts)
}

func BenchmarkScan(b *testing.B) {
	benchmarkScan(b, `{"model":"m","messages":[{"role":"system","content":"`+strings.Repeat("Be brief and kind. ", 50)+`"},{"role":"user","content":"`+strings.Repeat("All work and no play, said he. ", 6000)+`"}],"temperature":0.2}`)
}

// BenchmarkScanEscapes reads source code, which has many escapes.
func BenchmarkScanEscapes(b *testing.B) {
	const line = `\tif err := box.set(ctx, \"A12\", Clear); err != nil {\n\t\treturn fmt.Errorf(\"set: %v\", err)\n\t}\n`
	benchmarkScan(b, `{"messages":[{"role":"user","content":"`+strings.Repeat(line, 2000)+`"}]}`)
}

func benchmarkScan(b *testing.B, text string) {
	body := []byte(text)
	var s jsonscan.Scanner
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(body, false)
		for {
			if _, err := s.ReadToken(); err != nil {
				b.Fatal(err)
			}
			if s.Depth() == 0 {
				break
			}
		}
	}
}

package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func TestMembersAndElements(t *testing.T) {
	for _, tt := range []struct {
		give  string
		want  []string
		valid bool
	}{
		{`{"a":1, "b\u0062" : [ {"c":"}"} ] ,"a":null}`, []string{"a", "1", "bb", `[ {"c":"}"} ]`, "a", "null"}, true},
		{` [1 , "two",{"3":[]},[[]]] `, []string{"1", `"two"`, `{"3":[]}`, "[[]]"}, true},
		{`{}`, nil, true},
		{`[]`, nil, true},
		{`"text"`, nil, true},
		{``, nil, false},
		{`{"a":1,"b":[`, []string{"a", "1"}, false},
		{`{"a":1,"b"`, []string{"a", "1"}, false},
		{`{"a":1 "b":2}`, []string{"a", "1"}, false},
		{`[1,2`, []string{"1", "2"}, false},
		{`[1,]`, []string{"1"}, false},
		{`[1] 2`, []string{"1"}, false},
	} {
		var got []string
		for name, v := range jsonscan.Members([]byte(tt.give)) {
			got = append(got, string(name), string(v))
		}
		for v := range jsonscan.Elements([]byte(tt.give)) {
			got = append(got, string(v))
		}
		require.Equal(t, tt.want, got, tt.give)
		require.Equal(t, tt.valid, jsonscan.Valid([]byte(tt.give)), tt.give)
	}
	for range jsonscan.Members([]byte(`{"a":1,"b":2}`)) {
		break
	}
	for range jsonscan.Elements([]byte(`[1,2]`)) {
		break
	}
}

func TestMember(t *testing.T) {
	src := []byte(`{"a":1,"b":{"c":{"d":"deep"}},"n":null,"a":2}`)
	for path, want := range map[string]string{
		"a": "2", "b c d": `"deep"`, "b c": `{"d":"deep"}`, "n": "null", "x": "", "a b": "", "b x d": "", "": string(src),
	} {
		require.Equal(t, want, string(jsonscan.Member(src, strings.Fields(path)...)), path)
	}
	require.Nil(t, jsonscan.Member(src, "x"))
	require.Nil(t, jsonscan.Member([]byte("[1]"), "a"))
}

func TestDecodeString(t *testing.T) {
	for give, want := range map[string]string{
		`"plain"`: "plain", `"\u00e9\n"`: "\u00e9\n", `"\ud800"`: "\ufffd", `""`: "", `12`: "", `null`: "", ``: "",
	} {
		require.Equal(t, want, string(jsonscan.DecodeString([]byte(give))), give)
	}
	require.Nil(t, jsonscan.DecodeString([]byte("12")))
	require.NotNil(t, jsonscan.DecodeString([]byte(`""`)))
}

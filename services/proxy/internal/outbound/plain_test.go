package outbound_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

const usageOn = `{"include_usage":true}`

func TestOutboundChangesNothingElse(t *testing.T) {
	const m = `"messages":[{"role":"user","content":"hi"}]`
	for name, tc := range map[string]struct{ give, want string }{
		"name": {
			`{"model":"auto",` + m + `}`,
			`{"model":"up \"1\"",` + m + `}`,
		},
		"odd bytes": {
			"{ \"top_k\": 5,\n\t\"vendor_x\":{\"a\":[1]} ,\"model\" : \"auto\", \"x_seed\":123456789012345678901234567890, " + m + ",\"x\":1.50e+1,\"t\":\"\\u00e9\\/\" }\r\n",
			"{ \"top_k\": 5,\n\t\"vendor_x\":{\"a\":[1]} ,\"model\" : \"up \\\"1\\\"\", \"x_seed\":123456789012345678901234567890, " + m + ",\"x\":1.50e+1,\"t\":\"\\u00e9\\/\" }\r\n",
		},
		"sandbox": {
			`{"x_sandbox":{"fail":1},"model":"auto",` + m + `}`,
			`{"x_sandbox":{"fail":1},"model":"up \"1\"",` + m + `}`,
		},
		"plain, options last": {
			`{"model":"auto",` + m + ` , "stream_options":{"include_usage":true}}`,
			`{"model":"up \"1\"",` + m + `}`,
		},
		"plain, options first": {
			`{ "stream_options" : null , "model":"auto",` + m + `}`,
			`{ "model":"up \"1\"",` + m + `}`,
		},
		"plain, options between": {
			`{"model":"auto","stream":false,"stream_options":{},` + m + `}`,
			`{"model":"up \"1\"","stream":false,` + m + `}`,
		},
		"stream": {
			`{"model":"auto",` + m + `,"stream":true}`,
			`{"model":"up \"1\"","stream_options":` + usageOn + `,` + m + `,"stream":true}`,
		},
		"stream, asked": {
			`{"stream":true,"stream_options":{"include_usage": true},"model":"auto",` + m + `}`,
			`{"stream":true,"stream_options":{"include_usage": true},"model":"up \"1\"",` + m + `}`,
		},
		"stream, refused": {
			`{"stream":true,"stream_options":{"include_usage":false,"x":1},"model":"auto",` + m + `}`,
			`{"stream":true,"stream_options":{"include_usage":true,"x":1},"model":"up \"1\"",` + m + `}`,
		},
		"stream, other option": {
			`{"stream":true,"model":"auto","stream_options":{ "x":false},` + m + `}`,
			`{"stream":true,"model":"up \"1\"","stream_options":{"include_usage":true, "x":false},` + m + `}`,
		},
		"stream, obfuscation": {
			`{"stream":true,"model":"auto","stream_options":{ "include_obfuscation":false},` + m + `}`,
			`{"stream":true,"model":"up \"1\"","stream_options":{"include_usage":true},` + m + `}`,
		},
		"stream, obfuscation and others": {
			`{"stream":true,"stream_options":{"y": [1] , "include_obfuscation" : true, "include_usage":false,"z":"\n"} ,"model":"auto",` + m + `}`,
			`{"stream":true,"stream_options":{"include_usage":true,"y":[1],"z":"\n"} ,"model":"up \"1\"",` + m + `}`,
		},
		"stream, no option": {
			`{"stream":true,"model":"auto","stream_options":{},` + m + `}`,
			`{"stream":true,"model":"up \"1\"","stream_options":` + usageOn + `,` + m + `}`,
		},
		"stream, null": {
			`{"stream":true,"model":"auto","stream_options":null,` + m + `}`,
			`{"stream":true,"model":"up \"1\"","stream_options":` + usageOn + `,` + m + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := chat(t, tc.give)
			require.Equal(t, tc.want, string(bytes.Join(outbound.BuildPlain(r, `up "1"`), nil)))
			require.Equal(t, tc.give, string(r.Body))
		})
	}
}

func TestOutboundRequestsFloats(t *testing.T) {
	for give, want := range map[string]string{
		`{"model":"e","input":"x"}`:                                            `{"model":"up","input":"x"}`,
		`{"model":"e","encoding_format":"float","input":[1]}`:                  `{"model":"up","encoding_format":"float","input":[1]}`,
		`{"encoding_format": "base64" ,"model":"e","input":["x"]}`:             `{"encoding_format": "float" ,"model":"up","input":["x"]}`,
		`{"model":"e","input":"x","dimensions":3,"encoding_format":"base64"}`:  `{"model":"up","input":"x","dimensions":3,"encoding_format":"float"}`,
		`{"model":"e","input":"x" , "encoding_format" : null ,"dimensions":3}`: `{"model":"up","input":"x" ,"dimensions":3}`,
		`{ "encoding_format":null, "model":"e","input":"x"}`:                   `{ "model":"up","input":"x"}`,
		`{"model":"e","input":"x","encoding_format":null}`:                     `{"model":"up","input":"x"}`,
	} {
		r, err := requestbody.ParseEmbeddings([]byte(give))
		require.NoError(t, err)
		require.Equal(t, want, string(bytes.Join(outbound.BuildPlain(r, "up"), nil)))
	}
}

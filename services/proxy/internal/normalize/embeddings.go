package normalize

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// embeddingsParser parses an upstream's response to an embeddings call.
type embeddingsParser struct {
	chunk
	wantsBase64 bool
	// vectors holds the embeddings in the order of the inputs. They are already
	// encoded in the client's format.
	vectors [][]byte
	width   int
	// floats is a buffer for the 32-bit floats of one embedding.
	floats []byte
	// wantedWidth is the vector length that the client requested, or 0.
	wantedWidth int
}

// Embeddings normalizes an upstream's response to the request r and
// sorts the embeddings by input. It checks the number of embeddings, their length
// and their values, because clients store them. It fails with
// PROVIDER_INVALID_RESPONSE, or with the error that the body reports. The result does not share
// memory with body. The caller may call Release when it needs the result no longer.
func Embeddings(body []byte, r *requestbody.Request, model string) (Response, error) {
	v := embeddingsParser{wantsBase64: r.WantsBase64, vectors: make([][]byte, r.InputCount), wantedWidth: r.Dimensions}
	if err := v.parse(body); err != nil {
		return Response{}, err
	}
	dst := append(newPooledBody(len(body)+256), `{"object":"list","data":[`...)
	for i, vector := range v.vectors {
		if vector == nil {
			return Response{}, upstreamerror.InvalidResponse("an embedding is missing")
		}
		dst = append(dst, `{"object":"embedding","index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"embedding":`...)
		dst = append(dst, vector...)
		dst = append(dst, "},"...)
	}
	dst[len(dst)-1] = ']'
	dst = jsonscan.AppendQuoted(append(dst, `,"model":`...), model)
	dst = append(dst, `,"usage":`...)
	dst = v.usage.AppendInputJSON(dst, r.InputTokens)
	dst = append(dst, v.extra...)
	resp := reportedValues(&v.usage)
	resp.Body, resp.isPooled = append(dst, '}'), true
	return resp, nil
}

func (v *embeddingsParser) parse(body []byte) error {
	v.beginObject(body)
	for v.NextMember() {
		if string(v.Name()) == "data" {
			v.readData()
			continue
		}
		v.readTopMember()
	}
	err := v.CheckEnd()
	if v.isError {
		return upstreamerror.ParseInBand(body)
	}
	if err != nil {
		return toResponseError(err)
	}
	v.usage.CountAllAsInput()
	return nil
}

func (v *embeddingsParser) readData() {
	if !v.Enter(jsonscan.BeginArray) {
		v.Value()
		return
	}
	clear(v.vectors)
	v.width = 0
	for i := 0; v.NextElement(); i++ {
		if !v.Enter(jsonscan.BeginObject) {
			v.SetError(upstreamerror.InvalidResponse("an embedding is not an object"))
		}
		v.readItem(int64(i))
	}
}

func (v *embeddingsParser) readItem(at int64) {
	var vector []byte
	for v.NextMember() {
		switch string(v.Name()) {
		case "index":
			if n, ok := jsonscan.ParseInteger(v.Value()); ok {
				at = n
			}
		case "embedding":
			vector = v.readVector()
		default:
			v.Value()
		}
	}
	if at < 0 || at >= int64(len(v.vectors)) || v.vectors[at] != nil {
		v.SetError(upstreamerror.InvalidResponse("the number of embeddings differs from the number of inputs, or an index occurs twice"))
		return
	}
	v.vectors[at] = vector
}

// readVector reads one embedding in either encoding. It returns the embedding in the
// encoding that the client requested.
func (v *embeddingsParser) readVector() []byte {
	if v.PeekKind() == jsonscan.String {
		return v.decodeBase64Vector(v.Value())
	}
	if !v.Enter(jsonscan.BeginArray) {
		v.SetError(upstreamerror.InvalidResponse("an embedding is not a vector"))
		return nil
	}
	start := v.Offset() - 1
	if v.wantsBase64 {
		raw := v.readFloats()
		v.checkWidth(len(raw) / 4)
		return quoteBase64(raw)
	}
	width := v.SkipPlainFloats()
	for ; v.NextElement(); width++ {
		if _, err := strconv.ParseFloat(string(v.Value()), 32); err != nil {
			v.SetError(errNotNumbers())
		}
	}
	v.checkWidth(width)
	return v.Source()[start:v.Offset()]
}

// readFloats reads the numbers of an array as 32-bit floats.
func (v *embeddingsParser) readFloats() (raw []byte) {
	for v.NextElement() {
		f, err := strconv.ParseFloat(string(v.Value()), 32)
		if err != nil {
			v.SetError(errNotNumbers())
		}
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(f)))
	}
	return raw
}

// decodeBase64Vector checks an embedding of 32-bit floats. A client that wants base64 gets the
// upstream's text, unless it is unusual.
func (v *embeddingsParser) decodeBase64Vector(value jsontext.Value) []byte {
	text := jsonscan.DecodeString(value)
	// Some upstreams leave the padding out, which has at most two characters.
	digits := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	v.floats = slices.Grow(v.floats[:0], base64.RawStdEncoding.DecodedLen(len(digits)))
	n, err := base64.RawStdEncoding.Decode(v.floats[:cap(v.floats)], digits)
	raw := v.floats[:n]
	if err != nil || n%4 != 0 {
		v.SetError(upstreamerror.InvalidResponse("an embedding is not a base64 string of 32-bit floats"))
		return nil
	}
	v.checkWidth(n / 4)
	if !areFinite(raw) {
		v.SetError(errNotNumbers())
		return nil
	}
	switch {
	case !v.wantsBase64:
		return floatsToJSON(raw)
	case len(text) == len(value)-len(`""`) && len(text)%4 == 0:
		return value
	}
	return quoteBase64(raw)
}

// areFinite reports whether 32-bit floats are numbers. In all others, every bit of the exponent
// is set.
func areFinite(raw []byte) bool {
	const exponent = 0x7f800000
	for ; len(raw) >= 4; raw = raw[4:] {
		if binary.LittleEndian.Uint32(raw)&exponent == exponent {
			return false
		}
	}
	return true
}

// floatsToJSON returns 32-bit floats as a JSON array.
func floatsToJSON(raw []byte) []byte {
	dst := []byte{'['}
	for ; len(raw) > 0; raw = raw[4:] {
		dst = append(jsontext.AppendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), 32), ',')
	}
	dst[len(dst)-1] = ']'
	return dst
}

func errNotNumbers() error {
	return upstreamerror.InvalidResponse("an embedding contains a value that is not a number")
}

func (v *embeddingsParser) checkWidth(width int) {
	switch {
	case width == 0 || v.width != 0 && width != v.width:
		v.SetError(upstreamerror.InvalidResponse("embeddings are empty or have different numbers of dimensions"))
	case v.wantedWidth != 0 && width != v.wantedWidth:
		v.SetError(upstreamerror.InvalidResponse("embeddings do not have the requested dimensions"))
	}
	v.width = width
}

func quoteBase64(raw []byte) []byte {
	dst := base64.StdEncoding.AppendEncode([]byte{'"'}, raw)
	return append(dst, '"')
}

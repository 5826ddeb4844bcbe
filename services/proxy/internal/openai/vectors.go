package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// vectors is an upstream's answer to an embeddings call.
type vectors struct {
	chunk
	base64 bool
	// data has the vectors in the order of the inputs, already in the form
	// that the client wants.
	data  [][]byte
	width int
	// asked is the width that the client wants; 0 for any.
	asked int
}

// EmbeddingsAnswer brings an upstream's embeddings into the form that r asks
// for, in the order of the inputs. Their number, widths and values are
// checked, as a client would store whatever it gets: PROVIDER_INVALID_RESPONSE.
func EmbeddingsAnswer(body []byte, r *Request, model string) (Answer, error) {
	v := vectors{base64: r.Base64, data: make([][]byte, r.Inputs), asked: r.Dimensions}
	if err := v.parse(body); err != nil {
		return Answer{}, err
	}
	dst := append(make([]byte, 0, len(body)+256), `{"object":"list","data":[`...)
	for i, vector := range v.data {
		if vector == nil {
			return Answer{}, invalidResponse("an embedding is missing")
		}
		dst = append(dst, `{"object":"embedding","index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"embedding":`...)
		dst = append(dst, vector...)
		dst = append(dst, "},"...)
	}
	dst[len(dst)-1] = ']'
	dst = appendQuoted(append(dst, `,"model":`...), model)
	dst = append(dst, `,"usage":`...)
	dst = v.usage.appendInput(dst, r.InputTokens)
	dst = append(dst, v.extra...)
	a := v.usage.answer()
	a.Body = append(dst, '}')
	return a, nil
}

func (v *vectors) parse(body []byte) error {
	v.begin(body)
	for v.member() {
		if string(v.name) == "data" {
			v.readData()
			continue
		}
		v.topMember()
	}
	v.end()
	if v.failed {
		return InBandError(body)
	}
	if v.err != nil {
		return answerError(v.err)
	}
	// All of it is input, also where only the total is told.
	v.usage.prompt, v.usage.completion, v.usage.hasPrompt = v.usage.total, 0, v.usage.hasPrompt || v.usage.hasTotal
	return nil
}

func (v *vectors) readData() {
	if !v.open(jsontext.KindBeginArray) {
		v.value()
		return
	}
	clear(v.data)
	v.width = 0
	for i := 0; v.element(); i++ {
		if !v.open(jsontext.KindBeginObject) {
			v.fail(invalidResponse("an embedding is not an object"))
		}
		v.readItem(int64(i))
	}
}

func (v *vectors) readItem(at int64) {
	var vector []byte
	for v.member() {
		switch string(v.name) {
		case "index":
			if n, ok := integer(v.value()); ok {
				at = n
			}
		case "embedding":
			vector = v.vector()
		default:
			v.value()
		}
	}
	if at < 0 || at >= int64(len(v.data)) || v.data[at] != nil {
		v.fail(invalidResponse("not one embedding for each input"))
		return
	}
	v.data[at] = vector
}

// vector reads one embedding, of either form, and returns it in the other if
// that is the one asked for.
func (v *vectors) vector() []byte {
	if v.kind() == jsontext.KindString {
		return v.fromBase64(v.value())
	}
	if !v.open(jsontext.KindBeginArray) {
		v.fail(invalidResponse("an embedding is not a vector"))
		return nil
	}
	start := v.offset() - 1
	var raw []byte
	width := 0
	for ; v.element(); width++ {
		number := v.value()
		if !v.base64 && isModest(number) {
			continue
		}
		f, err := strconv.ParseFloat(string(number), 32)
		if err != nil {
			v.fail(errNotNumbers())
		}
		if v.base64 {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(f)))
		}
	}
	v.checkWidth(width)
	if v.base64 {
		return quoteBase64(raw)
	}
	return v.src[start:v.offset()]
}

// isModest tells without parsing it that a value is a number that a float32
// can hold; it is false for some that are. Thousands of them make an answer.
func isModest(v jsontext.Value) bool {
	return v.Kind() == jsontext.KindNumber && len(v) < 32 && bytes.IndexByte(v, 'e') < 0 && bytes.IndexByte(v, 'E') < 0
}

func (v *vectors) fromBase64(value jsontext.Value) []byte {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text(value), "="))
	if err != nil || len(raw)%4 != 0 {
		v.fail(invalidResponse("an embedding is not base64 of floats"))
		return nil
	}
	v.checkWidth(len(raw) / 4)
	dst := []byte{'['}
	for rest := raw; len(rest) > 0; rest = rest[4:] {
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(rest)))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			v.fail(errNotNumbers())
			return nil
		}
		if !v.base64 {
			dst = append(jsontext.AppendFloat(dst, f, 32), ',')
		}
	}
	if v.base64 {
		return quoteBase64(raw)
	}
	dst[len(dst)-1] = ']'
	return dst
}

func errNotNumbers() error {
	return invalidResponse("an embedding has something else than numbers")
}

func (v *vectors) checkWidth(width int) {
	switch {
	case width == 0 || v.width != 0 && width != v.width:
		v.fail(invalidResponse("embeddings of unequal widths"))
	case v.asked != 0 && width != v.asked:
		v.fail(invalidResponse("embeddings of another width than the dimensions asked for"))
	}
	v.width = width
}

func quoteBase64(raw []byte) []byte {
	dst := base64.StdEncoding.AppendEncode([]byte{'"'}, raw)
	return append(dst, '"')
}

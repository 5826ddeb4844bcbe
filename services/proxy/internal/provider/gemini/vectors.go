package gemini

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

const (
	// unitDimensions is the number of dimensions of Google's complete vectors, which have
	// length 1. Google truncates vectors with fewer dimensions, so they must be normalized.
	unitDimensions = 3072
	// lengthTolerance is the rounding error that is allowed for the length 1.
	lengthTolerance = 1e-3
)

// translateEmbeddings joins the responses of all batches. If it cannot parse the body of a
// response, it returns only that body, and package normalize reports the error.
func translateEmbeddings(responses []upstream.Response) []byte {
	o := jsonWriter{buf: make([]byte, 0, len(responses)*len(responses[0].Body)+256)}
	o.open('{')
	o.key("data").open('[')
	var prompt int64
	hasUsage := false
	for i := range responses {
		body := responses[i].Body
		vectors, usage, ok := parseEmbeddings(body)
		if !ok {
			return body
		}
		for _, v := range vectors {
			o.open('{')
			o.key("embedding")
			writeUnitVector(&o, v)
			o.close('}')
		}
		if g, ok := usagereport.ParseGoogle(usage); ok {
			prompt, hasUsage = prompt+g.Prompt, true
		}
	}
	o.close(']')
	if hasUsage {
		o.key("usage").open('{')
		o.key("prompt_tokens").number(prompt)
		o.key("total_tokens").number(prompt)
		o.close('}')
	}
	o.close('}')
	return o.buf
}

func parseEmbeddings(body []byte) (vectors []jsontext.Value, usage jsontext.Value, ok bool) {
	if !jsonscan.Valid(body) {
		return nil, nil, false
	}
	var embeddings jsontext.Value
	readFields(body, field{"embeddings", &embeddings}, field{"usageMetadata", &usage})
	for one := range jsonscan.Elements(embeddings) {
		vectors = append(vectors, vectorValues(one))
	}
	return vectors, usage, embeddings != nil
}

func vectorValues(v jsontext.Value) jsontext.Value {
	if values := jsonscan.Member(v, "values"); values != nil {
		return values
	}
	return jsontext.Value("null")
}

// writeUnitVector writes a vector, normalized to length 1. It copies v unchanged if v already
// has this length, has all dimensions, or cannot be normalized.
func writeUnitVector(o *jsonWriter, v jsontext.Value) {
	values, length := parseVector(v)
	if len(values) == 0 || len(values) >= unitDimensions || length == 0 || math.Abs(length-1) < lengthTolerance {
		o.raw(v)
		return
	}
	o.open('[')
	for _, f := range values {
		o.writeComma()
		o.buf = strconv.AppendFloat(o.buf, f/length, 'g', -1, 32)
	}
	o.close(']')
}

// parseVector returns the numbers of a vector, and its Euclidean length. If any value is not
// a number, it returns no numbers.
func parseVector(v jsontext.Value) (values []float64, length float64) {
	for one := range jsonscan.Elements(v) {
		f, err := strconv.ParseFloat(string(one), 64)
		if err != nil {
			return nil, 0
		}
		values = append(values, f)
		length += f * f
	}
	return values, math.Sqrt(length)
}

package gemini

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

const (
	// fullWidth is the width at which Google's vectors have length 1; shorter
	// ones are cut from those and must be brought back to it.
	fullWidth = 3072
	// nearOne is how far from 1 a length may be by rounding.
	nearOne = 1e-3
)

// embeddings is the answer of all batches in our clients' form. A batch that
// is not understood is given as it came: whoever reads it says what is wrong.
func embeddings(answers []upstream.Answer) []byte {
	o := out{b: make([]byte, 0, len(answers)*len(answers[0].Body)+256)}
	o.open('{')
	o.key("data").open('[')
	var used counts
	for i := range answers {
		body := answers[i].Body
		vectors, c, ok := readVectors(body)
		if !ok {
			return body
		}
		for _, v := range vectors {
			o.open('{')
			o.key("embedding")
			writeVector(&o, v)
			o.end('}')
		}
		used.prompt, used.told = used.prompt+c.prompt, used.told || c.told
	}
	o.end(']')
	if used.told {
		o.key("usage").open('{')
		o.key("prompt_tokens").number(used.prompt)
		o.key("total_tokens").number(used.prompt)
		o.end('}')
	}
	o.end('}')
	return o.b
}

func readVectors(body []byte) (vectors []jsontext.Value, used counts, ok bool) {
	if !jsonscan.Valid(body) {
		return nil, used, false
	}
	for name, v := range jsonscan.Members(body) {
		switch string(name) {
		case "embeddings":
			ok = true
			for one := range jsonscan.Elements(v) {
				vectors = append(vectors, valuesOf(one))
			}
		case "usageMetadata":
			used = countsOf(v)
		}
	}
	return vectors, used, ok
}

func valuesOf(v jsontext.Value) jsontext.Value {
	for name, v := range jsonscan.Members(v) {
		if string(name) == "values" {
			return v
		}
	}
	return jsontext.Value("null")
}

// writeVector writes a vector of length 1.
func writeVector(o *out, v jsontext.Value) {
	values, length := numbers(v)
	if len(values) == 0 || len(values) >= fullWidth || length == 0 || math.Abs(length-1) < nearOne {
		o.raw(v)
		return
	}
	o.open('[')
	for _, f := range values {
		o.next()
		o.b = strconv.AppendFloat(o.b, f/length, 'g', -1, 32)
	}
	o.end(']')
}

// numbers are a vector's, none where one is no number, and its length.
func numbers(v jsontext.Value) (values []float64, length float64) {
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

package sandbox

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	defaultDimensions = 256
	maxDimensions     = 4096
	// maxVectorNumbers limits a response to about 25 MB.
	maxVectorNumbers = 2 << 20
	// positionsPerWord is the maximum number of vector positions that a word changes.
	positionsPerWord = 8
)

// embedRequest holds the members of an embeddings request that the sandbox reads.
type embedRequest struct {
	Input      jsontext.Value `json:"input"`
	Dimensions *int           `json:"dimensions"`
	Script     jsontext.Value `json:"x_sandbox"`
}

func (b *embedRequest) script() jsontext.Value { return b.Script }

type embeddingsJSON struct {
	Object string          `json:"object"`
	Model  string          `json:"model"`
	Data   []embeddingJSON `json:"data"`
	Usage  struct {
		Prompt int64 `json:"prompt_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
}

type embeddingJSON struct {
	Object string    `json:"object"`
	Index  int       `json:"index"`
	Vector []float32 `json:"embedding"`
}

func (b *embedRequest) buildResponse(model string, input int64) ([]byte, error) {
	n := defaultDimensions
	if b.Dimensions != nil {
		n = *b.Dimensions
	}
	if n < 1 || n > maxDimensions {
		return nil, invalidParam("dimensions", fmt.Sprintf("must be from 1 to %d", maxDimensions))
	}
	inputs, err := b.parseInputs()
	if err != nil {
		return nil, err
	}
	if len(inputs)*n > maxVectorNumbers {
		return nil, invalidParam("input", fmt.Sprintf("produces more than %d vector values; send fewer inputs or dimensions", maxVectorNumbers))
	}
	out := embeddingsJSON{Object: "list", Model: model}
	out.Usage.Prompt, out.Usage.Total = input, input
	for i, words := range inputs {
		out.Data = append(out.Data, embeddingJSON{Object: "embedding", Index: i, Vector: embedWords(words, n)})
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode sandbox embeddings: %w", err)
	}
	return body, nil
}

// parseInputs returns the words of each input. For a token array it returns the tokens.
func (b *embedRequest) parseInputs() ([][]string, error) {
	var items []jsontext.Value
	if b.Input.Kind() == '[' {
		if err := decodeField(b.Input, &items, "input"); err != nil {
			return nil, err
		}
	}
	if b.Input.Kind() != '[' || len(items) > 0 && items[0].Kind() == '0' {
		items = []jsontext.Value{b.Input}
	}
	all := make([][]string, len(items))
	for i, item := range items {
		words, err := parseWords(item)
		if err != nil {
			return nil, err
		}
		all[i] = words
	}
	return all, nil
}

func parseWords(item jsontext.Value) ([]string, error) {
	if item.Kind() == '"' {
		var text string
		err := decodeField(item, &text, "input")
		return strings.Fields(strings.ToLower(text)), err
	}
	var tokens []int64
	if err := decodeField(item, &tokens, "input"); err != nil {
		return nil, err
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = fmt.Sprint(t)
	}
	return words, nil
}

// embedWords returns a vector of length 1. Texts that share words have similar vectors, so
// that a similarity search over sandbox vectors returns plausible results.
func embedWords(words []string, n int) []float32 {
	sum := make([]float64, n)
	for _, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w))
		seed := h.Sum64()
		for range positionsPerWord {
			seed = splitMix64(seed)
			sum[seed>>1%uint64(n)] += 1 - 2*float64(seed&1)
		}
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	if length == 0 {
		sum[0], length = 1, 1
	}
	unit := make([]float32, n)
	for i, x := range sum {
		unit[i] = float32(x / math.Sqrt(length))
	}
	return unit
}

// splitMix64 returns the next value of the SplitMix64 generator.
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

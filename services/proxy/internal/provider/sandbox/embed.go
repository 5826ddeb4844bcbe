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
	// maxNumbers bounds an answer to some 25 MB.
	maxNumbers = 2 << 20
	// wordMarks is how many places of a vector a word touches.
	wordMarks = 8
)

// embedBody is what the sandbox reads of an embeddings request.
type embedBody struct {
	Input      jsontext.Value `json:"input"`
	Dimensions *int           `json:"dimensions"`
	Script     jsontext.Value `json:"x_sandbox"`
}

type embeddings struct {
	Object string      `json:"object"`
	Model  string      `json:"model"`
	Data   []embedding `json:"data"`
	Usage  struct {
		Prompt int64 `json:"prompt_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
}

type embedding struct {
	Object string    `json:"object"`
	Index  int       `json:"index"`
	Vector []float32 `json:"embedding"`
}

func (b *embedBody) answer(model string, input int64) ([]byte, error) {
	n := defaultDimensions
	if b.Dimensions != nil {
		n = *b.Dimensions
	}
	if n < 1 || n > maxDimensions {
		return nil, invalid("dimensions", fmt.Sprintf("must be from 1 to %d", maxDimensions))
	}
	inputs, err := b.inputs()
	if err != nil {
		return nil, err
	}
	if len(inputs)*n > maxNumbers {
		return nil, invalid("input", "asks the sandbox for too many numbers at once")
	}
	out := embeddings{Object: "list", Model: model}
	out.Usage.Prompt, out.Usage.Total = input, input
	for i, words := range inputs {
		out.Data = append(out.Data, embedding{Object: "embedding", Index: i, Vector: vector(words, n)})
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the sandbox's embeddings: %w", err)
	}
	return body, nil
}

// inputs are the words of each input; of a token array, its tokens.
func (b *embedBody) inputs() ([][]string, error) {
	if b.Input.Kind() != '[' {
		words, err := wordsOf(b.Input)
		return [][]string{words}, err
	}
	var items []jsontext.Value
	if err := decode(b.Input, &items, "input"); err != nil {
		return nil, err
	}
	if len(items) > 0 && items[0].Kind() == '0' {
		words, err := wordsOf(b.Input)
		return [][]string{words}, err
	}
	all := make([][]string, len(items))
	for i, item := range items {
		words, err := wordsOf(item)
		if err != nil {
			return nil, err
		}
		all[i] = words
	}
	return all, nil
}

func wordsOf(item jsontext.Value) ([]string, error) {
	if item.Kind() == '"' {
		var text string
		err := decode(item, &text, "input")
		return strings.Fields(strings.ToLower(text)), err
	}
	var tokens []int64
	if err := decode(item, &tokens, "input"); err != nil {
		return nil, err
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = fmt.Sprint(t)
	}
	return words, nil
}

// vector is of length one. Texts that share words point the same way, so that
// a search over sandbox vectors finds something.
func vector(words []string, n int) []float32 {
	sum := make([]float64, n)
	for _, w := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w))
		seed := h.Sum64()
		for range wordMarks {
			seed = mix(seed)
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

// mix is one step of SplitMix64: neighbours of a seed share nothing.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

package openai

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxBatches is how many calls may be made of one.
const maxBatches = 64

// Batches makes of an embeddings request several of at most n inputs each, in
// their order; one that has no more, or an n of 0, is itself. One that would be
// too many is UNSUPPORTED_PARAMETER.
func (r *Request) Batches(n int) ([]*Request, error) {
	if n == 0 || r.Inputs <= n {
		return []*Request{r}, nil
	}
	if r.Inputs > n*maxBatches {
		return nil, unsupported("input")
	}
	at := r.valueOf(r.find("input"))
	var all []*Request
	for inputs := range inBatches(r.Body[at.from:at.to], n) {
		body := bytes.Join([][]byte{r.Body[:at.from], inputs, r.Body[at.to:]}, nil)
		b, err := ParseEmbeddings(body)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// inBatches are arrays of at most n elements of an array, each.
func inBatches(array jsontext.Value, n int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var s scanner
		s.reset(array, true)
		s.token()
		batch, have := []byte{'['}, 0
		for s.element() {
			batch = append(append(batch, s.value()...), ',')
			if have++; have < n {
				continue
			}
			batch[len(batch)-1] = ']'
			if !yield(batch) {
				return
			}
			batch, have = batch[:1], 0
		}
		if have > 0 {
			batch[len(batch)-1] = ']'
			yield(batch)
		}
	}
}

// JoinEmbeddings makes one upstream's answer of those to the batches of a
// request. Errors are those of EmbeddingsAnswer.
func JoinEmbeddings(bodies [][]byte, batches []*Request) ([]byte, error) {
	dst := []byte(`{"data":[`)
	var used int64
	counted := true
	for i, body := range bodies {
		v := vectors{data: make([][]byte, batches[i].Inputs), asked: batches[i].Dimensions}
		if err := v.parse(body); err != nil {
			return nil, err
		}
		for _, vector := range v.data {
			if vector == nil {
				return nil, invalidResponse("an embedding is missing")
			}
			dst = append(append(append(dst, `{"embedding":`...), vector...), "},"...)
		}
		used += v.usage.total
		counted = counted && v.usage.seen
	}
	dst[len(dst)-1] = ']'
	if counted {
		dst = strconv.AppendInt(append(dst, `,"usage":{"prompt_tokens":`...), used, 10)
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

package outbound

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// maxBatches limits how many upstream calls one embeddings request can cause.
const maxBatches = 64

// SplitBatches splits an embeddings request into requests of at most n inputs
// each, in order. It returns the request itself if it has at most n inputs or n
// is 0. It fails with UNSUPPORTED_PARAMETER if there are more than maxBatches
// batches.
func SplitBatches(r *requestbody.Request, n int) ([]*requestbody.Request, error) {
	if n == 0 || r.InputCount <= n {
		return []*requestbody.Request{r}, nil
	}
	if r.InputCount > n*maxBatches {
		return nil, errUnsupported("input")
	}
	at := valueSpan(r, r.FindMember("input"))
	var all []*requestbody.Request
	for inputs := range splitArray(r.Body[at.from:at.to], n) {
		body := bytes.Join([][]byte{r.Body[:at.from], inputs, r.Body[at.to:]}, nil)
		b, err := requestbody.ParseEmbeddings(body)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// splitArray splits a JSON array and yields arrays of at most n elements. The
// yielded slice is reused.
func splitArray(array jsontext.Value, n int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var s jsonscan.Reader
		s.ResetLimited(array, true)
		s.Enter(jsonscan.BeginArray)
		batch, have := []byte{'['}, 0
		for s.NextElement() {
			batch = append(append(batch, s.Value()...), ',')
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

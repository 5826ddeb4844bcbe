package normalize

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// JoinEmbeddings merges the upstream responses to the batches of one
// request into one upstream body. It fails like Embeddings.
func JoinEmbeddings(bodies [][]byte, batches []*requestbody.Request) ([]byte, error) {
	dst := []byte(`{"data":[`)
	var used int64
	counted := true
	for i, body := range bodies {
		v := embeddingsParser{vectors: make([][]byte, batches[i].InputCount), wantedWidth: batches[i].Dimensions}
		if err := v.parse(body); err != nil {
			return nil, err
		}
		for _, vector := range v.vectors {
			if vector == nil {
				return nil, upstreamerror.InvalidResponse("an embedding is missing")
			}
			dst = append(append(append(dst, `{"embedding":`...), vector...), "},"...)
		}
		used += v.usage.TotalTokens()
		counted = counted && v.usage.IsReported()
	}
	dst[len(dst)-1] = ']'
	if counted {
		dst = strconv.AppendInt(append(dst, `,"usage":{"prompt_tokens":`...), used, 10)
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

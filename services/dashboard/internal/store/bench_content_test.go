package store_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

const (
	// contentRecords is the number of records of each kind of content.
	contentRecords = 2000
	// capturedBytes is how much of a request the proxy captures at most.
	capturedBytes = 64 << 10
)

// corpus holds the documentation and the source code of this repository. Generated text would
// compress far better than what people and agents send.
type corpus struct {
	docs, code string
	random     *rand.Rand
}

func readCorpus(b *testing.B) corpus {
	return corpus{docs: readFiles(b, "../../../../docs/*.md"), code: readFiles(b, "*.go"), random: rand.New(rand.NewPCG(1, 2))}
}

func readFiles(b *testing.B, pattern string) string {
	paths, err := filepath.Glob(pattern)
	require.NoError(b, err)
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(b, err)
		all.Write(text)
	}
	require.Greater(b, all.Len(), capturedBytes)
	return all.String()
}

// part returns n bytes from a random position, as a JSON string.
func (c corpus) part(text string, n int) string {
	at := c.random.IntN(len(text) - n)
	return strconv.QuoteToASCII(strings.ToValidUTF8(text[at:at+n], ""))
}

func (c corpus) chat(request, response int) *record.Content {
	return newContent(`{"model":"auto","messages":[{"role":"user","content":`+c.part(c.docs, request)+`}]}`, c.answer(response))
}

func (c corpus) answer(n int) string {
	return `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":` + c.part(c.docs, n) + `},"finish_reason":"stop"}]}`
}

// agent returns a request with the source code that a coding agent has read. It is cut off.
func (c corpus) agent() *record.Content {
	var turns strings.Builder
	for turns.Len() < capturedBytes {
		turns.WriteString(`{"role":"tool","tool_call_id":"call_` + strconv.Itoa(c.random.Int()) + `","content":` + c.part(c.code, 4<<10) + `},`)
	}
	return newContent(`{"model":"auto","messages":[`+turns.String()[:capturedBytes-28], c.answer(1<<10))
}

// image returns a request with an image, which is compressed already.
func (c corpus) image() *record.Content {
	raw := make([]byte, 40<<10)
	for i := range raw {
		raw[i] = byte(c.random.Uint32())
	}
	return newContent(`{"model":"auto","messages":[{"role":"user","content":"data:image/png;base64,`+base64.StdEncoding.EncodeToString(raw)+`"}]}`, c.answer(1<<10))
}

func newContent(request, response string) *record.Content {
	return &record.Content{
		Request: []byte(request), Response: []byte(response), RequestBytes: int64(len(request)), ResponseBytes: int64(len(response)),
	}
}

// BenchmarkContent prints how many bytes captured content takes in Postgres, by kind of request.
func BenchmarkContent(b *testing.B) {
	c := readCorpus(b)
	fmt.Printf("%-32s %12s %12s %8s %14s\n", "content, bytes per request", "captured", "compressed", "ratio", "in Postgres")
	for _, kind := range []struct {
		name string
		next func() *record.Content
	}{
		{"chat of 2 KB, response of 1 KB", func() *record.Content { return c.chat(2<<10, 1<<10) }},
		{"chat of 16 KB, response of 2 KB", func() *record.Content { return c.chat(16<<10, 2<<10) }},
		{"coding agent, cut at 64 KiB", c.agent},
		{"image of 40 KB", c.image},
	} {
		captured, compressed, stored := storeContent(b, kind.next)
		fmt.Printf("%-32s %12.0f %12.0f %8.1f %14.0f\n", kind.name, captured, compressed, captured/compressed, stored)
	}
}

// storeContent returns the bytes per record: as captured, after compression, and with everything that
// Postgres adds.
func storeContent(b *testing.B, next func() *record.Content) (captured, compressed, stored float64) {
	url := postgres(b)
	s, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	const size = 200
	for range contentRecords / size {
		var batch record.Batch
		for n := range size {
			r := storetest.Make("acc", n)
			r.ID, r.Content = uuid.Must(uuid.NewV7()), next()
			captured += float64(len(r.Content.Request) + len(r.Content.Response))
			batch.Records = append(batch.Records, r)
		}
		require.NoError(b, s.Insert(b.Context(), batch))
	}
	packed, err := s.Count(b.Context(), `SELECT SUM(length(request) + length(response)) FROM content`)
	require.NoError(b, err)
	stored = bytesOf(b, s, "pg_total_relation_size(oid)", "content_")
	return captured / contentRecords, float64(packed) / contentRecords, stored / contentRecords
}

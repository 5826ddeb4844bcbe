package bpe_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/signalbox/signalbox/pkg/tokens/bpe"
)

var update = flag.Bool("update", false, "write the tables anew")

// references are the tokenizers of another implementation, with their sizes.
var references = map[string]struct {
	codec  func() *codec.Codec
	tokens uint
}{
	"o200k":  {codec.NewO200kBase, 199_998},
	"cl100k": {codec.NewCl100kBase, 100_256},
}

func TestTablesMatchReference(t *testing.T) {
	for name, ref := range references {
		var want []byte
		c := ref.codec()
		for id := range ref.tokens {
			token, err := c.Decode([]uint{id})
			require.NoError(t, err)
			want = append(append(want, byte(len(token))), token...)
		}
		if *update {
			require.NoError(t, os.WriteFile(name+".gz", pack(t, want), 0o644))
		}
		file, err := os.Open(name + ".gz")
		require.NoError(t, err)
		r, err := gzip.NewReader(file)
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		require.True(t, bytes.Equal(want, got), name)
	}
}

func pack(t *testing.T, plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func encodings(t testing.TB) map[string]*bpe.Encoding {
	all := map[string]*bpe.Encoding{}
	for name := range references {
		e, err := bpe.New(name)
		require.NoError(t, err)
		require.True(t, bpe.Supports(name))
		all[name] = e
	}
	return all
}

func TestCountsMatchReference(t *testing.T) {
	var texts []string
	files, err := filepath.Glob("../testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	for name, e := range encodings(t) {
		c := references[name].codec()
		for _, text := range texts {
			want, err := c.Count(text)
			require.NoError(t, err)
			require.Equal(t, want, e.Count([]byte(text)), "%s: %q", name, text)
		}
	}
}

func TestUnknownEncodings(t *testing.T) {
	require.False(t, bpe.Supports("gemma"))
	_, err := bpe.New("gemma")
	require.ErrorContains(t, err, "gemma")
}

func TestInvalidUTF8IsCountedByByte(t *testing.T) {
	for _, e := range encodings(t) {
		require.Positive(t, e.Count([]byte("a\xffb\xc3")))
	}
}

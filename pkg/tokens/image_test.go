package tokens_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/tokens"
)

func dataURL(kind string, picture []byte) []byte {
	return []byte("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(picture))
}

func base64Image(t *testing.T, width, height int, to func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, to(&b, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black})))
	return b.Bytes()
}

// sized returns a PNG whose header claims the given size.
func sized(t *testing.T, width, height uint32) []byte {
	t.Helper()
	b := base64Image(t, 1, 1, func(w io.Writer, m image.Image) error { return png.Encode(w, m) })
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	return b
}

// webp returns the header of a WebP file.
func webp(chunk string, rest ...byte) []byte {
	return append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk+"\x00\x00\x00\x00"), append(rest, make([]byte, 20)...)...)
}

func TestImagesAreCountedByTheirTiles(t *testing.T) {
	const tile, base = 170, 85
	asPNG := func(w io.Writer, m image.Image) error { return png.Encode(w, m) }
	asGIF := func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }
	asJPEG := func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }
	photo := base64Image(t, 520, 520, asJPEG)
	exif := append([]byte("\xff\xd8\xff\xe1\x9c\x42"), make([]byte, 0x9c40)...) // a segment of 40 KB before the rest
	for name, tt := range map[string]struct {
		url   []byte
		tiles int64
	}{
		"small png":       {dataURL("png", base64Image(t, 100, 80, asPNG)), 1},
		"square png":      {dataURL("png", sized(t, 1024, 1024)), 4},
		"wide png":        {dataURL("png", sized(t, 4096, 1024)), 4},
		"tall png":        {dataURL("png", sized(t, 2048, 4096)), 6},
		"long strip":      {dataURL("png", sized(t, 9000, 10)), 4},
		"gif":             {dataURL("gif", base64Image(t, 600, 500, asGIF)), 2},
		"jpeg":            {dataURL("jpeg", photo), 4},
		"jpeg with exif":  {dataURL("jpeg", append(exif, photo[2:]...)), 4},
		"lossy webp":      {dataURL("webp", webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0x58, 0x02, 0x90, 0x01)), 2},
		"lossless webp":   {dataURL("webp", webp("VP8L", append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, 599|399<<14)...)...)), 2},
		"extended webp":   {dataURL("webp", webp("VP8X", 0, 0, 0, 0, 0x57, 0x02, 0, 0x8f, 0x01, 0)), 2},
		"address":         {[]byte("https://example.com/a.png"), 4},
		"nothing":         {nil, 4},
		"no picture":      {dataURL("png", []byte("hello")), 4},
		"no base64":       {[]byte("data:image/png;base64,\\/\\/\\/"), 4},
		"cut":             {dataURL("png", base64Image(t, 100, 80, asPNG))[:40], 4},
		"cut jpeg":        {dataURL("jpeg", photo[:20]), 4},
		"endless segment": {dataURL("jpeg", append([]byte("\xff\xd8"), bytes.Repeat([]byte("\xff\xe0\x00\x02"), 500)...)), 4},
		"giant":           {dataURL("png", append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), bytes.Repeat([]byte{0x7f}, 20)...)), 4},
	} {
		require.EqualValues(t, base+tile*tt.tiles, tokens.EstimateImage(tt.url, "high"), name)
		require.EqualValues(t, base, tokens.EstimateImage(tt.url, "low"), name)
	}
}

func FuzzImage(f *testing.F) {
	f.Add([]byte("data:image/jpeg;base64,/9j/4AAQ"))
	f.Fuzz(func(t *testing.T, url []byte) {
		n := tokens.EstimateImage(url, "")
		require.Positive(t, n)
		require.LessOrEqual(t, n, int64(85+170*8))
	})
}

package tokens

// These constants describe how OpenAI's models count images: scale the image to fit a
// square, scale its shorter side down to a limit, then count tiles. Other vendors count
// by area, which gives about the same number for images of one megapixel.
const (
	tokensPerImage = 85
	tokensPerTile  = 170
	tileSide       = 512
	maxLongSide    = 2048
	maxShortSide   = 768
	// defaultTiles is the tile count of an image of one megapixel.
	defaultTiles = 4
)

// EstimateImage estimates the tokens of an image. url is the JSON string without its
// quotes. If url is a data URL, the size of the image is read from its data. detail is the
// client's image_url.detail.
func EstimateImage(url []byte, detail string) int64 {
	if detail == "low" {
		return tokensPerImage
	}
	width, height, ok := parseImageSize(url)
	if !ok {
		return tokensPerImage + tokensPerTile*defaultTiles
	}
	return tokensPerImage + tokensPerTile*countTiles(float64(width), float64(height))
}

func countTiles(width, height float64) int64 {
	if scale := maxLongSide / max(width, height); scale < 1 {
		width, height = width*scale, height*scale
	}
	if scale := maxShortSide / min(width, height); scale < 1 {
		width, height = width*scale, height*scale
	}
	across, down := int64(width+tileSide-1)/tileSide, int64(height+tileSide-1)/tileSide
	return max(1, across) * max(1, down)
}

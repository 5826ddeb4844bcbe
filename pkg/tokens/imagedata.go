package tokens

// EstimateImageData estimates the tokens of an image whose base64 data stands alone, without
// the head of a data URL. data is the JSON string without its quotes.
func EstimateImageData(data []byte) int64 {
	width, height := base64Image(data).parseSize()
	if !isPlausibleSize(width, height) {
		return tokensPerImage + tokensPerTile*defaultTiles
	}
	return tokensPerImage + tokensPerTile*countTiles(float64(width), float64(height))
}

// isPlausibleSize reports whether an image can have this size.
func isPlausibleSize(width, height int) bool {
	const maxSide = 1 << 20
	return width > 0 && height > 0 && width < maxSide && height < maxSide
}

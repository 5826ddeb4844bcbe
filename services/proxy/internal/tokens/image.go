package tokens

// The tile rule of OpenAI's models: a picture is fitted into a square, its
// shorter side brought down to a length, and its tiles are counted. Others count
// by area, to about the same for pictures of a megapixel.
const (
	imageBase = 85
	perTile   = 170
	tile      = 512
	longest   = 2048
	shortest  = 768
	// unknownTiles is a picture of a megapixel.
	unknownTiles = 4
)

// Image estimates a picture by its address as it stands in the JSON, without
// quotes: a data URL tells its size. detail is what the client asked for.
func Image(url []byte, detail string) int64 {
	if detail == "low" {
		return imageBase
	}
	width, height, ok := size(url)
	if !ok {
		return imageBase + perTile*unknownTiles
	}
	return imageBase + perTile*tiles(float64(width), float64(height))
}

func tiles(width, height float64) int64 {
	if scale := longest / max(width, height); scale < 1 {
		width, height = width*scale, height*scale
	}
	if scale := shortest / min(width, height); scale < 1 {
		width, height = width*scale, height*scale
	}
	across, down := int64(width+tile-1)/tile, int64(height+tile-1)/tile
	return max(1, across) * max(1, down)
}

package tokens

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
)

// maxDataHead is the maximum length of a data URL up to the start of its base64 data.
const maxDataHead = 128

// parseImageSize reads the size of the image in a data URL. It decodes only the few bytes
// that contain the size.
func parseImageSize(url []byte) (width, height int, ok bool) {
	if !bytes.HasPrefix(url, []byte("data:")) {
		return 0, 0, false
	}
	marker := []byte("base64,")
	at := bytes.Index(url[:min(len(url), maxDataHead)], marker)
	if at < 0 {
		return 0, 0, false
	}
	b := base64Image(url[at+len(marker):])
	width, height = b.parseSize()
	return width, height, isPlausibleSize(width, height)
}

// base64Image is the base64 text of an image. Bytes after the end, and bytes that cannot
// be decoded, are read as zero.
type base64Image []byte

// window holds the bytes that one read decodes.
type window [30]byte

// readAt decodes the bytes of the image from the given offset.
func (e base64Image) readAt(offset int) (w window) {
	quads := offset / 3 * 4
	if offset < 0 || quads >= len(e) {
		return w
	}
	var plain [36]byte
	src := e[quads:min(len(e), quads+len(plain)/3*4)]
	n, _ := base64.StdEncoding.Decode(plain[:], src[:len(src)/4*4])
	copy(w[:], plain[min(n, offset%3):n])
	return w
}

func (e base64Image) parseSize() (width, height int) {
	w := e.readAt(0)
	big, little := binary.BigEndian, binary.LittleEndian
	switch {
	case string(w[:8]) == "\x89PNG\r\n\x1a\n":
		return int(big.Uint32(w[16:])), int(big.Uint32(w[20:]))
	case string(w[:4]) == "GIF8":
		return int(little.Uint16(w[6:])), int(little.Uint16(w[8:]))
	case string(w[:2]) == "\xff\xd8":
		return e.parseJPEGSize()
	case string(w[8:16]) == "WEBPVP8 ":
		return int(little.Uint16(w[26:]) & 0x3fff), int(little.Uint16(w[28:]) & 0x3fff)
	case string(w[8:16]) == "WEBPVP8L":
		packed := little.Uint32(w[21:])
		return int(packed&0x3fff) + 1, int(packed>>14&0x3fff) + 1
	case string(w[8:16]) == "WEBPVP8X":
		return int(little.Uint32(w[24:])&0xffffff) + 1, int(little.Uint32(w[26:])>>8) + 1
	}
	return 0, 0
}

// maxSegments limits how many JPEG segments are skipped before the frame header.
const maxSegments = 64

func (e base64Image) parseJPEGSize() (width, height int) {
	at := 2
	for range maxSegments {
		w := e.readAt(at)
		if w[0] != 0xff {
			break
		}
		if isFrameHeader(w[1]) {
			return int(binary.BigEndian.Uint16(w[7:])), int(binary.BigEndian.Uint16(w[5:]))
		}
		at += 2 + int(binary.BigEndian.Uint16(w[2:]))
	}
	return 0, 0
}

// isFrameHeader reports whether a JPEG segment contains the image size. The markers DHT,
// JPG and DAC are in the same range, but have no size.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

package tokens

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
)

// maxDataHead is how far into a data URL its data begin.
const maxDataHead = 128

// size finds how large the picture of a data URL is, looking at the few bytes
// that say so.
func size(url []byte) (width, height int, ok bool) {
	if !bytes.HasPrefix(url, []byte("data:")) {
		return 0, 0, false
	}
	mark := []byte("base64,")
	at := bytes.Index(url[:min(len(url), maxDataHead)], mark)
	if at < 0 {
		return 0, 0, false
	}
	b := encoded(url[at+len(mark):])
	width, height = b.size()
	const most = 1 << 20
	return width, height, width > 0 && height > 0 && width < most && height < most
}

// encoded is the base64 of a picture. What cannot be read is zero: an end, an
// escape, or no base64.
type encoded []byte

// window is what is read of it at once, from an offset of the picture.
type window [30]byte

func (e encoded) at(offset int) (w window) {
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

func (e encoded) size() (width, height int) {
	w := e.at(0)
	big, little := binary.BigEndian, binary.LittleEndian
	switch {
	case string(w[:8]) == "\x89PNG\r\n\x1a\n":
		return int(big.Uint32(w[16:])), int(big.Uint32(w[20:]))
	case string(w[:4]) == "GIF8":
		return int(little.Uint16(w[6:])), int(little.Uint16(w[8:]))
	case string(w[:2]) == "\xff\xd8":
		return e.jpeg()
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

// maxSegments is how many a JPEG may have before the one with its size.
const maxSegments = 64

func (e encoded) jpeg() (width, height int) {
	at := 2
	for range maxSegments {
		w := e.at(at)
		if w[0] != 0xff {
			break
		}
		if frame(w[1]) {
			return int(binary.BigEndian.Uint16(w[7:])), int(binary.BigEndian.Uint16(w[5:]))
		}
		at += 2 + int(binary.BigEndian.Uint16(w[2:]))
	}
	return 0, 0
}

// frame tells whether a segment is one that has the size. Three of the range are
// tables.
func frame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

package web

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
)

//go:embed assets/style.css
var styleCSS []byte

//go:embed assets/icon.svg
var iconSVG []byte

// assets are the files that pages refer to, by names that change with their
// content: browsers may keep them for ever.
type assets struct {
	Style, Icon string
	files       map[string]asset
}

type asset struct {
	kind string
	body []byte
}

func newAssets() assets {
	a := assets{files: map[string]asset{}}
	a.Style = a.add("style", ".css", "text/css; charset=utf-8", styleCSS)
	a.Icon = a.add("icon", ".svg", "image/svg+xml", iconSVG)
	return a
}

// add returns the address.
func (a *assets) add(name, ending, kind string, body []byte) string {
	sum := sha256.Sum256(body)
	name += "-" + hex.EncodeToString(sum[:6]) + ending
	a.files[name] = asset{kind, body}
	return "/assets/" + name
}

func (s *server) asset(w http.ResponseWriter, r *http.Request) error {
	a, ok := s.assets.files[r.PathValue("name")]
	if !ok {
		return notFound("file")
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.body)
	return nil
}

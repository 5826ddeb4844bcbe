package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/ui"
)

//go:embed assets/icon.svg
var iconSVG []byte

// assets are the files that pages refer to, by names that change with their
// content: browsers may keep them for ever. Fonts have plain names, because
// the style sheet refers to them, and are kept for less long.
type assets struct {
	Icon string
	// Charts is loaded when a chart is seen, Font before the style sheet asks
	// for it.
	Style, App, Charts, Font string
	// Shared are the parts without which the app cannot begin.
	Shared []string
	files  map[string]asset
}

type asset struct {
	kind         string
	body, zipped []byte
	caching      string
}

const (
	forever = "public, max-age=31536000, immutable"
	aWeek   = "public, max-age=604800"
)

func newAssets() (assets, error) {
	a := assets{files: map[string]asset{}}
	a.Icon = a.add("icon.svg", iconSVG)
	for name, address := range map[string]*string{"style.css": &a.Style, "app.js": &a.App, "charts.js": &a.Charts} {
		body, err := ui.Files.ReadFile("dist/" + name)
		if err != nil {
			return a, fmt.Errorf("load assets: %w", err)
		}
		*address = a.add(name, body)
	}
	if err := a.addChunks(); err != nil {
		return a, err
	}
	return a, a.addFonts()
}

// addChunks adds the parts of the app that others import, under the names they
// are imported by: these change with their content already.
func (a *assets) addChunks() error {
	chunks, err := fs.Glob(ui.Files, "dist/chunks/*.js")
	if err != nil {
		return fmt.Errorf("load assets: %w", err)
	}
	for _, file := range chunks {
		body, err := ui.Files.ReadFile(file)
		if err != nil {
			return fmt.Errorf("load assets: %w", err)
		}
		name := "chunks/" + path.Base(file)
		a.files[name] = asset{kind: mime.TypeByExtension(".js"), body: body, zipped: zipped(body), caching: forever}
		// A page that is loaded when it is opened has a name of its own.
		if strings.HasPrefix(name, "chunks/chunk-") {
			a.Shared = append(a.Shared, "/assets/"+name)
		}
	}
	return nil
}

func (a *assets) addFonts() error {
	fonts, err := fs.Glob(ui.Files, "dist/fonts/*.woff2")
	if err != nil {
		return fmt.Errorf("load assets: %w", err)
	}
	for _, file := range fonts {
		body, err := ui.Files.ReadFile(file)
		if err != nil {
			return fmt.Errorf("load assets: %w", err)
		}
		name := "fonts/" + path.Base(file)
		a.files[name] = asset{kind: "font/woff2", body: body, caching: aWeek}
		if strings.Contains(name, "-next-") {
			a.Font = "/assets/" + name
		}
	}
	return nil
}

// add returns the address.
func (a *assets) add(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ending := path.Ext(name)
	name = strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(sum[:6]) + ending
	a.files[name] = asset{kind: mime.TypeByExtension(ending), body: body, zipped: zipped(body), caching: forever}
	return "/assets/" + name
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func (s *server) asset(w http.ResponseWriter, r *http.Request) error {
	a, ok := s.assets.files[r.PathValue("name")]
	if !ok {
		return notFound("file")
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", a.caching)
	h.Set("Vary", "Accept-Encoding")
	body := a.body
	if a.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.zipped
	}
	_, _ = w.Write(body)
	return nil
}

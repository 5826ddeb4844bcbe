package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/ui"
)

//go:embed assets/icon.svg
var iconSVG []byte

// assets holds the files that pages load. The names of scripts, style sheets and the
// icon contain a hash of the content, so browsers may cache these files forever.
// The style sheet refers to fonts by their plain names, so fonts are cached for a
// week.
type assets struct {
	Icon       string
	Style, App string
	// Charts is loaded when the first chart is drawn.
	Charts string
	// Font is preloaded, because browsers would request it only after the style
	// sheet.
	Font string
	// Core is the URL of the chunk that the app needs to start.
	Core string
	// chunks has the file names of the app's chunks, by the part before their hash. For pages
	// that are loaded on demand, this part is the first segment of their paths.
	chunks map[string]string
	files  map[string]asset
}

type asset struct {
	kind string
	body []byte
	// zipped compresses the body at its first use, because all files together would delay the
	// start. It is nil if the body is compressed already.
	zipped  func() []byte
	caching string
}

const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheOneWeek = "public, max-age=604800"
)

func newAssets() (assets, error) {
	a := assets{files: map[string]asset{}, chunks: map[string]string{}}
	a.Icon = a.addHashed("icon.svg", iconSVG)
	for name, address := range map[string]*string{"style.css": &a.Style, "app.js": &a.App, "charts.js": &a.Charts} {
		body, err := ui.Files.ReadFile("dist/" + name)
		if err != nil {
			return a, fmt.Errorf("load assets: %w", err)
		}
		*address = a.addHashed(name, body)
	}
	if err := a.addChunks(); err != nil {
		return a, err
	}
	return a, a.addFonts()
}

// addChunks adds the app's chunks. Scripts import chunks by name, so the names stay
// unchanged. They already contain a hash.
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
		a.files[name] = asset{kind: mime.TypeByExtension(".js"), body: body, zipped: zip(body), caching: cacheForever}
		page, _, _ := strings.Cut(path.Base(file), "-")
		a.chunks[page] = name
	}
	if a.chunks["core"] == "" {
		return errors.New("load assets: dist has no chunk core")
	}
	a.Core = "/assets/" + a.chunks["core"]
	return nil
}

// chunkName finds the names of the chunks that a chunk imports.
var chunkName = regexp.MustCompile(`'\./([^']+\.js)'`)

// pageChunks returns the URLs of the chunk of a page and of the chunks that it imports, or
// nothing if the page has none. The page starts sooner if the browser need not run the app
// to find its chunk, nor read the chunk to find the others.
func (a *assets) pageChunks(path string) []string {
	page, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, ok := a.chunks[page]
	if !ok {
		return nil
	}
	urls := []string{"/assets/" + name}
	body := a.files[name].body
	for _, at := range chunkName.FindAllSubmatchIndex(body, -1) {
		onDemand := bytes.HasSuffix(body[:at[0]], []byte("(")) // import('./a.js'), not import'./a.js' or from'./a.js'
		if url := "/assets/chunks/" + string(body[at[2]:at[3]]); !onDemand && url != a.Core && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	return urls
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
		a.files[name] = asset{kind: "font/woff2", body: body, caching: cacheOneWeek}
		if strings.Contains(name, "-next-") {
			a.Font = "/assets/" + name
		}
	}
	return nil
}

// addHashed adds a file under a hashed name and returns its URL.
func (a *assets) addHashed(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ending := path.Ext(name)
	name = strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(sum[:6]) + ending
	a.files[name] = asset{kind: mime.TypeByExtension(ending), body: body, zipped: zip(body), caching: cacheForever}
	return "/assets/" + name
}

func zip(body []byte) func() []byte {
	return sync.OnceValue(func() []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body) // writing to a buffer cannot fail
		_ = w.Close()
		return b.Bytes()
	})
}

func (s *server) serveAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := s.assets.files[r.PathValue("name")]
	if !ok {
		return httpapi.NotFoundError("file")
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", a.caching)
	h.Set("Vary", "Accept-Encoding")
	body := a.body
	if a.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.zipped()
	}
	_, _ = w.Write(body)
	return nil
}

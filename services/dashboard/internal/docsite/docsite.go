// Package docsite holds the documentation pages and searches them. `make ui` renders
// the Markdown files in /docs to dist/docs/site.json; Load reads the embedded result.
// The package itself does not use HTTP: package web serves the pages at /docs.
package docsite

import (
	"encoding/json"
	"fmt"
	"html/template"
	"sync"

	"github.com/signalbox/signalbox/services/dashboard/ui"
)

// Site holds all pages in reading order. It is immutable.
type Site struct {
	Pages []*Page `json:"pages"`
	byURL map[string]*Page
}

// Page is one rendered Markdown file.
type Page struct {
	// URL is the path at which the page is served, such as /docs/policy.
	URL string `json:"url"`
	// Group is the heading of the table of contents that lists the page. It is
	// empty for the table of contents itself.
	Group string `json:"group"`
	Title string `json:"title"`
	// HTML is rendered from our own Markdown without raw HTML, so templates insert
	// it unescaped.
	HTML     template.HTML `json:"html"`
	Sections []Section     `json:"sections"`
}

// Section is a heading and the text below it, up to the next heading.
type Section struct {
	// ID is the anchor of the heading; empty for the page's title.
	ID    string `json:"id"`
	Title string `json:"title"`
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// minContents is the minimum number of sections for which a page lists its
// contents.
const minContents = 3

// Contents returns the sections that the page lists beside its text: those of the
// highest level below the title. It returns nil if there are fewer than minContents.
func (p *Page) Contents() []Section {
	var all []Section
	for _, level := range []int{2, 3} {
		for _, s := range p.Sections {
			if s.Level == level {
				all = append(all, s)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	if len(all) < minContents {
		return nil
	}
	return all
}

// Load returns the embedded site. Only the first call reads it, because most processes never
// serve a documentation page.
func Load() (*Site, error) { return load() }

var load = sync.OnceValues(func() (*Site, error) {
	text, err := ui.Files.ReadFile("dist/docs/site.json")
	if err != nil {
		return nil, fmt.Errorf("load documentation: %w", err)
	}
	return parse(text)
})

func parse(text []byte) (*Site, error) {
	s := &Site{byURL: map[string]*Page{}}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("load documentation: %w", err)
	}
	for _, p := range s.Pages {
		s.byURL[p.URL] = p
	}
	return s, nil
}

// Find returns the page at a path, or nil.
func (s *Site) Find(path string) *Page { return s.byURL[path] }

// Neighbours returns the pages before and after a page in reading order. The first
// page has no previous page, and the last page has no next page.
func (s *Site) Neighbours(p *Page) (previous, next *Page) {
	for i, other := range s.Pages {
		if other != p {
			continue
		}
		if i > 0 {
			previous = s.Pages[i-1]
		}
		if i+1 < len(s.Pages) {
			next = s.Pages[i+1]
		}
	}
	return previous, next
}

// Group is a heading of the table of contents and the pages below it.
type Group struct {
	Name  string
	Pages []*Page
}

// Groups returns the table of contents. It leaves out the page that contains the
// table.
func (s *Site) Groups() []Group {
	var groups []Group
	for _, p := range s.Pages {
		if p.Group == "" {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].Name != p.Group {
			groups = append(groups, Group{Name: p.Group})
		}
		last := &groups[len(groups)-1]
		last.Pages = append(last.Pages, p)
	}
	return groups
}

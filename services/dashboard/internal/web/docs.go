package web

import (
	"net/http"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/docsite"
)

// docsView is the data of a documentation page. The pages need no session.
type docsView struct {
	Title  string
	Assets assets
	Theme  string
	Groups []docsite.Group
	Page   *docsite.Page
	// Previous and Next are nil at the ends of the table of contents.
	Previous, Next *docsite.Page
	// Query is the text that the user searched for.
	Query string
	// Searched is true on the search page. Only this page shows Hits.
	Searched bool
	Hits     []docsite.Hit
	Count    string
}

func (s *server) newDocsView(r *http.Request, docs *docsite.Site, title string) docsView {
	return docsView{Title: title, Assets: s.assets, Theme: readTheme(r), Groups: docs.Groups()}
}

func (s *server) pageDocs(w http.ResponseWriter, r *http.Request) error {
	docs, err := docsite.Load()
	if err != nil {
		return err
	}
	page := docs.Find(r.URL.Path)
	if page == nil {
		return apperr.New(apperr.NotFound, "this documentation page does not exist")
	}
	v := s.newDocsView(r, docs, page.Title)
	v.Page = page
	v.Previous, v.Next = docs.Neighbours(page)
	return s.renderPage(w, http.StatusOK, "docs", v)
}

// pageSearchDocs serves the result of a search. An empty query shows only the form.
func (s *server) pageSearchDocs(w http.ResponseWriter, r *http.Request) error {
	docs, err := docsite.Load()
	if err != nil {
		return err
	}
	v := s.newDocsView(r, docs, "Search the documentation")
	v.Searched = true
	if v.Query = r.URL.Query().Get("q"); v.Query != "" {
		v.Hits = docs.Search(v.Query)
		v.Count = strconv.Itoa(len(v.Hits))
	}
	return s.renderPage(w, http.StatusOK, "docs", v)
}

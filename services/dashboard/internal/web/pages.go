package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

//go:embed templates
var templates embed.FS

// pages are the templates, by name, each complete with the layout.
type pages map[string]*template.Template

func loadPages() (pages, error) {
	all := pages{}
	for _, name := range []string{"signin", "error"} {
		t, err := template.ParseFS(templates, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = t
	}
	app, err := template.ParseFS(templates, "templates/app.html")
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	all["app"] = app
	return all, nil
}

// view is what every page that is not of the app is shown with.
type view struct {
	Title  string
	Assets assets
	Theme  string
	// Email is of whoever is signed in; empty otherwise.
	Email string
	Data  any
}

func (s *server) view(r *http.Request, title string, v *viewer, data any) view {
	out := view{Title: title, Assets: s.assets, Theme: theme(r), Data: data}
	if v != nil {
		out.Email = v.user.GetEmail()
	}
	return out
}

// render writes a page, or nothing at all.
func (s *server) render(w http.ResponseWriter, status int, name string, v any) error {
	var b bytes.Buffer
	if err := s.pages[name].Execute(&b, v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

type problem struct {
	Message   string
	Code      apperr.Code
	RequestID string
}

// pageError shows what went wrong, with the way on for who is signed in. Who
// is not, and must be, is asked to.
func (s *server) pageError(w http.ResponseWriter, r *http.Request, err error) {
	e := apperr.From(err)
	if e.Code == apperr.SessionRequired {
		http.Redirect(w, r, signInAt(r), http.StatusSeeOther)
		return
	}
	status := e.Code.Spec().Status
	w.Header().Set("X-Error-Code", string(e.Code))
	v := s.view(r, http.StatusText(status), s.known(r, e.Code), problem{Message: e.Message, Code: e.Code, RequestID: requestID(r)})
	if err := s.render(w, status, "error", v); err != nil {
		s.writeError(w, r, err)
	}
}

// known is who is signed in, as far as that can be told; else nil.
func (s *server) known(r *http.Request, failed apperr.Code) *viewer {
	if failed == apperr.AuthUnavailable {
		return nil // asking again would only make the page late
	}
	v, err := s.identify(r)
	if err != nil {
		return nil
	}
	return v
}

package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

//go:embed templates
var templates embed.FS

// pages holds the templates by name. Sign-in and error pages share a layout.
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
	for _, name := range []string{"app", "docs"} {
		t, err := template.ParseFS(templates, "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
}

// view is the data of the sign-in and error pages.
type view struct {
	Title  string
	Assets assets
	Theme  string
	// Email is the e-mail address of the signed-in user; empty if no user is
	// signed in.
	Email string
	Data  any
}

func (s *server) newView(r *http.Request, title string, v *access.Viewer, data any) view {
	out := view{Title: title, Assets: s.assets, Theme: readTheme(r), Data: data}
	if v != nil {
		out.Email = v.User.GetEmail()
	}
	return out
}

// renderPage writes a page. If the template fails, it writes nothing.
func (s *server) renderPage(w http.ResponseWriter, status int, name string, v any) error {
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

// pageError shows an error page. If the page requires a session and the user
// has none, it redirects to the sign-in page.
func (s *server) pageError(w http.ResponseWriter, r *http.Request, err error) {
	e := apperr.From(err)
	if e.Code == apperr.SessionRequired {
		http.Redirect(w, r, signInURL(r), http.StatusSeeOther)
		return
	}
	status := e.Code.Spec().Status
	w.Header().Set("X-Error-Code", string(e.Code))
	v := s.newView(r, http.StatusText(status), s.findViewer(r, e.Code), problem{Message: e.Message, Code: e.Code, RequestID: httpapi.RequestID(r)})
	if err := s.renderPage(w, status, "error", v); err != nil {
		s.writeError(w, r, err)
	}
}

// findViewer returns the signed-in user, or nil if there is none or keyauth is
// unavailable.
func (s *server) findViewer(r *http.Request, failed apperr.Code) *access.Viewer {
	if failed == apperr.AuthUnavailable {
		return nil // another call would only delay the page
	}
	v, err := s.sessions.Identify(r)
	if err != nil {
		return nil
	}
	return v
}

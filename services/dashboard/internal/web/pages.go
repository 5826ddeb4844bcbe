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
	for _, name := range []string{"signin", "requests", "request", "keys", "account", "error"} {
		t, err := template.New("layout.html").Funcs(formats()).ParseFS(templates, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
}

// view is what every page is shown with.
type view struct {
	Title  string
	Assets assets
	// Email and Account are of whoever is signed in; empty otherwise. Account
	// is also empty when it is named by the e-mail.
	Email   string
	Account string
	Data    any
}

func (s *server) view(title string, v *viewer, data any) view {
	out := view{Title: title, Assets: s.assets, Data: data}
	if v != nil {
		out.Email = v.user.GetEmail()
		if name := v.account.GetName(); name != out.Email {
			out.Account = name
		}
	}
	return out
}

// render writes a page, or nothing at all.
func (s *server) render(w http.ResponseWriter, status int, name string, v view) error {
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
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	status := e.Code.Spec().Status
	w.Header().Set("X-Error-Code", string(e.Code))
	v := s.view(http.StatusText(status), s.known(r, e.Code), problem{Message: e.Message, Code: e.Code, RequestID: requestID(r)})
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

// pageHome leads to where somebody can go on.
func (s *server) pageHome(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.identify(r); err != nil {
		return err
	}
	http.Redirect(w, r, "/requests", http.StatusSeeOther)
	return nil
}

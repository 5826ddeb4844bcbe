package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	maxBody = 64 << 10
	// bodyTimeout limits the time for receiving a body.
	bodyTimeout = 10 * time.Second
)

// PatchField distinguishes a missing value from a given one. A PATCH changes only
// the settings with given values. Null resets a setting.
type PatchField[T any] struct {
	Given bool
	Null  bool
	Value T
}

// UnmarshalJSONFrom parses the value. The decoder calls it only for fields that are
// present.
func (f *PatchField[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	f.Given, f.Null = true, d.PeekKind() == 'n'
	return strict.UnmarshalDecode(d, &f.Value)
}

// ReadJSON parses the JSON object of a body into v. It rejects unknown and
// duplicate names, which would otherwise be ignored silently.
func ReadJSON(w http.ResponseWriter, r *http.Request, v any) error {
	return ReadJSONUpTo(w, r, v, maxBody)
}

// ReadJSONUpTo is ReadJSON with another size limit.
func ReadJSONUpTo(w http.ResponseWriter, r *http.Request, v any, limit int64) error {
	body, err := ReadBody(w, r, limit)
	if err != nil {
		return err
	}
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] != '{' && json.Valid(body) {
		return apperr.New(apperr.InvalidRequest, "the body must be a JSON object")
	}
	return toJSONError(strict.Unmarshal(body, v, strict.RejectUnknownMembers(true)))
}

func toJSONError(err error) error {
	var meaning *strict.SemanticError
	if errors.As(err, &meaning) {
		name := strings.ReplaceAll(strings.TrimPrefix(string(meaning.JSONPointer), "/"), "/", ".")
		if errors.Is(err, strict.ErrUnknownName) {
			return apperr.New(apperr.InvalidRequest, fmt.Sprintf("unknown field %q", name)).With("param", name)
		}
		wrong := "has a value of the wrong type"
		if is := meaning.GoType; is != nil && (is.Kind() == reflect.Int64 || is.Kind() == reflect.Int32) {
			wrong = "must be a whole number"
		}
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("field %q %s", name, wrong)).With("param", name)
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return apperr.New(apperr.InvalidJSON, "the body is not valid JSON").With("offset", syntax.ByteOffset).WithCause(err)
	}
	if err != nil {
		return apperr.New(apperr.InvalidJSON, "the body is not valid JSON").WithCause(err)
	}
	return nil
}

// ReadBody returns the JSON text of a body of at most limit bytes.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, apperr.New(apperr.UnsupportedMediaType, "the Content-Type must be application/json")
	}
	return readBody(w, r, limit)
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	defer limitBody(w, r, limit)()
	body, err := io.ReadAll(r.Body)
	return body, toReadBodyError(err)
}

// ReadForm parses a form's body.
func ReadForm(w http.ResponseWriter, r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return apperr.New(apperr.UnsupportedMediaType, "the Content-Type must be application/x-www-form-urlencoded")
	}
	defer limitBody(w, r, maxBody)()
	return toReadBodyError(r.ParseForm())
}

// limitBody limits the size and the receive time of a body. The returned function
// removes the deadline. Otherwise the deadline would apply to later requests on the
// connection.
func limitBody(w http.ResponseWriter, r *http.Request, limit int64) func() {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // best effort: not every writer supports deadlines
	return func() { _ = control.SetReadDeadline(time.Time{}) }
}

func toReadBodyError(err error) error {
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return apperr.New(apperr.RequestTooLarge, fmt.Sprintf("the body is larger than %d bytes", large.Limit)).With("limit", large.Limit)
	}
	return apperr.New(apperr.InvalidRequest, "the body cannot be read").WithCause(err)
}

// WriteItems writes a list that has no further pages, or returns err.
func WriteItems[T any](w http.ResponseWriter, items []T, err error) error {
	return WriteResult(w, http.StatusOK, map[string]any{"items": items}, err)
}

// WriteResult writes v with the status, or returns err. Handlers end with it.
func WriteResult(w http.ResponseWriter, status int, v any, err error) error {
	if err != nil {
		return err
	}
	return WriteJSON(w, status, v)
}

// WriteNoContent responds with 204 if err is nil, and returns err.
func WriteNoContent(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// WriteJSON writes v with the status.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
	return nil
}

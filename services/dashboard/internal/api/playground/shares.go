package playground

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/sharedrun"
)

// maxShare is the size of a shared run in bytes. It is smaller than that of a run, because
// it is stored.
const maxShare = 1 << 20

// Shares stores shared runs.
type Shares interface {
	ShareRun(ctx context.Context, r sharedrun.Run) error
	// SharedRun returns NOT_FOUND if the account has no such run.
	SharedRun(ctx context.Context, account, id string) (sharedrun.Run, error)
}

// shareContent is a run and the models it is tried with.
type shareContent struct {
	run
	Models []string `json:"models"`
}

type shareJSON struct {
	ID        string         `json:"id"`
	Author    string         `json:"author"`
	Created   time.Time      `json:"created"`
	ExpiresAt time.Time      `json:"expires_at"`
	Endpoint  string         `json:"endpoint"`
	Models    []string       `json:"models"`
	Body      jsontext.Value `json:"body"`
}

func (s *API) apiShareRun(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var content shareContent
	if err := httpapi.ReadJSONUpTo(w, r, &content, maxShare); err != nil {
		return err
	}
	if err := content.validate(); err != nil {
		return err
	}
	if len(content.Models) == 0 || len(content.Models) > maxModels {
		return httpapi.InvalidParam("models", "name 1 to 4 models")
	}
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	shared := sharedrun.Run{
		ID: uuid.NewString(), AccountID: v.Account.GetId(), Author: v.User.GetEmail(), Created: time.Now().UTC().Truncate(time.Microsecond), Content: string(text),
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	if err := s.Shares.ShareRun(ctx, shared); err != nil {
		return err
	}
	return writeShare(w, http.StatusCreated, shared)
}

func (s *API) apiGetShare(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "shared run")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	shared, err := s.Shares.SharedRun(ctx, v.Account.GetId(), id)
	if err != nil {
		return err
	}
	return writeShare(w, http.StatusOK, shared)
}

func writeShare(w http.ResponseWriter, status int, r sharedrun.Run) error {
	var content shareContent
	if err := json.Unmarshal([]byte(r.Content), &content); err != nil {
		return err
	}
	endpoint := content.Endpoint
	if endpoint == "" {
		endpoint = "chat"
	}
	return httpapi.WriteJSON(w, status, shareJSON{
		ID: r.ID, Author: r.Author, Created: r.Created, ExpiresAt: r.Created.Add(sharedrun.Lifetime),
		Endpoint: endpoint, Models: content.Models, Body: content.Body,
	})
}

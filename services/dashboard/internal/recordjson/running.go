package recordjson

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Running is a request in progress, in the live feed. Its fields are those of Record.
type Running struct {
	ID             string          `json:"id"`
	Time           string          `json:"time"`
	KeyID          string          `json:"key_id"`
	KeyName        string          `json:"key_name"`
	RequestedModel string          `json:"requested_model"`
	Model          *string         `json:"model"`
	Provider       *string         `json:"provider"`
	Protocol       record.Protocol `json:"protocol"`
	Agent          *string         `json:"agent"`
	Session        *string         `json:"session"`
	User           *string         `json:"user"`
	Stream         bool            `json:"stream"`
	// ElapsedUS is how long the request had run when its proxy reported it.
	ElapsedUS int64 `json:"elapsed_us"`
}

// ToRunning converts a request in progress.
func ToRunning(r *record.Running) Running {
	return Running{
		ID: r.ID.String(), Time: jsonvalue.FormatTime(r.Time), KeyID: r.KeyID, KeyName: r.KeyName, RequestedModel: r.RequestedModel,
		Model: jsonvalue.NullIfZero(r.Model), Provider: jsonvalue.NullIfZero(r.Provider), Protocol: r.Protocol,
		Agent: jsonvalue.NullIfZero(r.Agent), Session: jsonvalue.NullIfZero(r.Session), User: jsonvalue.NullIfZero(r.User),
		Stream: r.Stream, ElapsedUS: r.Elapsed.Microseconds(),
	}
}

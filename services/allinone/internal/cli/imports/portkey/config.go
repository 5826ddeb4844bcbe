// Package portkey converts a Portkey gateway config into a policy. The config becomes the
// route auto: its targets are the candidates, nested targets are flattened, and conditions
// on metadata become rules. Virtual keys become environment variables. What has no
// counterpart is noted.
package portkey

import (
	"encoding/json"
	"fmt"
)

// target is a target of a config. The config itself is the outermost target.
type target struct {
	Name       string         `json:"name"`
	Strategy   strategy       `json:"strategy"`
	Targets    []target       `json:"targets"`
	Provider   string         `json:"provider"`
	VirtualKey string         `json:"virtual_key"`
	APIKey     string         `json:"api_key"`
	Host       string         `json:"custom_host"`
	Weight     *float64       `json:"weight"`
	Override   map[string]any `json:"override_params"`
	Retry      retry          `json:"retry"`
	// Timeout is in milliseconds.
	Timeout       int64           `json:"request_timeout"`
	Cache         json.RawMessage `json:"cache"`
	AzureResource string          `json:"azure_resource_name"`
	AzureDeploy   string          `json:"azure_deployment_id"`
	InputGuards   json.RawMessage `json:"input_guardrails"`
	OutputGuards  json.RawMessage `json:"output_guardrails"`
}

type strategy struct {
	Mode        string      `json:"mode"`
	StatusCodes []int       `json:"on_status_codes"`
	Conditions  []condition `json:"conditions"`
	Default     string      `json:"default"`
}

type condition struct {
	Query map[string]any `json:"query"`
	Then  string         `json:"then"`
}

type retry struct {
	Attempts    int   `json:"attempts"`
	StatusCodes []int `json:"on_status_codes"`
}

func readConfig(text []byte) (*target, error) {
	var t target
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	if len(t.Targets) == 0 && t.Provider == "" && t.VirtualKey == "" {
		return nil, fmt.Errorf("the file has no targets and no provider, so it is not a Portkey config")
	}
	return &t, nil
}

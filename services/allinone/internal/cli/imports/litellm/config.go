// Package litellm converts LiteLLM's config.yaml into a policy. A group of deployments
// becomes a model, or a route if it has fallbacks or several deployments. Aliases,
// fallbacks, weights, prices, limits, timeouts, retries and cooldowns are carried over.
// Everything else is noted.
package litellm

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// config is the part of config.yaml that is converted. Rest holds what is not known.
type config struct {
	Models   []deployment   `yaml:"model_list"`
	Router   settings       `yaml:"router_settings"`
	Settings settings       `yaml:"litellm_settings"`
	General  map[string]any `yaml:"general_settings"`
	Rest     map[string]any `yaml:",inline"`
}

// deployment is an entry of model_list. Entries with the same name form a group.
type deployment struct {
	Name   string `yaml:"model_name"`
	Params params `yaml:"litellm_params"`
	Info   info   `yaml:"model_info"`
}

type params struct {
	Model         string         `yaml:"model"`
	APIBase       string         `yaml:"api_base"`
	BaseURL       string         `yaml:"base_url"`
	APIKey        string         `yaml:"api_key"`
	Weight        float64        `yaml:"weight"`
	Order         int            `yaml:"order"`
	RPM           int64          `yaml:"rpm"`
	TPM           int64          `yaml:"tpm"`
	MaxParallel   int64          `yaml:"max_parallel_requests"`
	Timeout       any            `yaml:"timeout"`
	StreamTimeout any            `yaml:"stream_timeout"`
	InputPrice    *float64       `yaml:"input_cost_per_token"`
	OutputPrice   *float64       `yaml:"output_cost_per_token"`
	Rest          map[string]any `yaml:",inline"`
}

type info struct {
	Mode        string         `yaml:"mode"`
	BaseModel   string         `yaml:"base_model"`
	MaxInput    int64          `yaml:"max_input_tokens"`
	MaxOutput   int64          `yaml:"max_output_tokens"`
	InputPrice  *float64       `yaml:"input_cost_per_token"`
	OutputPrice *float64       `yaml:"output_cost_per_token"`
	Rest        map[string]any `yaml:",inline"`
}

// settings are the members that router_settings and litellm_settings may both have.
type settings struct {
	Strategy         string                `yaml:"routing_strategy"`
	Aliases          map[string]any        `yaml:"model_group_alias"`
	Fallbacks        []map[string][]string `yaml:"fallbacks"`
	ContextFallbacks []map[string][]string `yaml:"context_window_fallbacks"`
	DefaultFallbacks []string              `yaml:"default_fallbacks"`
	Retries          *int                  `yaml:"num_retries"`
	Timeout          any                   `yaml:"timeout"`
	RequestTimeout   any                   `yaml:"request_timeout"`
	AllowedFails     int                   `yaml:"allowed_fails"`
	Cooldown         any                   `yaml:"cooldown_time"`
	MaxBudget        float64               `yaml:"max_budget"`
	BudgetDuration   string                `yaml:"budget_duration"`
	Rest             map[string]any        `yaml:",inline"`
}

func readConfig(text []byte) (*config, error) {
	var c config
	if err := yaml.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if len(c.Models) == 0 {
		return nil, fmt.Errorf("the file has no model_list, so it is not a LiteLLM configuration")
	}
	for i, d := range c.Models {
		if d.Name == "" || d.Params.Model == "" {
			return nil, fmt.Errorf("model_list[%d] needs model_name and litellm_params.model", i)
		}
	}
	return &c, nil
}

// names returns the names of a mapping in order.
func names(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

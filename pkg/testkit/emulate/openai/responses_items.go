package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// responsesItem is an item of the input. Each type uses some of the fields.
type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Role      string          `json:"role"`
	Phase     string          `json:"phase"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Summary   []responsesPart `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

type responsesPart struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Refusal     string          `json:"refusal"`
	ImageURL    string          `json:"image_url"`
	Detail      string          `json:"detail"`
	FileID      string          `json:"file_id"`
	FileData    string          `json:"file_data"`
	FileURL     string          `json:"file_url"`
	Filename    string          `json:"filename"`
	Annotations json.RawMessage `json:"annotations"`
	Logprobs    json.RawMessage `json:"logprobs"`
	Breakpoint  json.RawMessage `json:"prompt_cache_breakpoint"`
}

// maxCallID is the maximum length of a call id.
const maxCallID = 64

func (r *responsesRequest) readItems(ask *server.Prompt) *server.Problem {
	var items []responsesItem
	if field, unknown, err := server.DecodeStrict(r.Input, &items); err != nil {
		if unknown {
			return invalidFieldError("input."+field, "unknown_parameter", "Unknown parameter: 'input[].%s'.", field)
		}
		return invalidFieldError("input", "invalid_type", "Invalid type for 'input'.")
	}
	if len(items) == 0 {
		return invalidFieldError("input", "empty_array", "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	var open []string
	for i := range items {
		if p := items[i].read(i, ask, &open); p != nil {
			return p
		}
	}
	if len(open) > 0 {
		return invalidFieldError("input", "", "No tool output found for function call %s.", open[0])
	}
	return nil
}

// read adds the item to the prompt. open contains the ids of the calls without an output.
func (m *responsesItem) read(i int, ask *server.Prompt, open *[]string) *server.Problem {
	at := fmt.Sprintf("input[%d]", i)
	switch m.Type {
	case "", "message":
		return m.readMessage(at, ask)
	case "function_call", "custom_tool_call":
		if m.CallID == "" || len(m.CallID) > maxCallID {
			return invalidFieldError(at+".call_id", "string_above_max_length", "Invalid '%s.call_id': expected a string with length 1 to %d, but got a string with length %d instead.", at, maxCallID, len(m.CallID))
		}
		*open = append(*open, m.CallID)
		ask.AddCall(m.Name, m.Arguments+m.Input)
	case "function_call_output", "custom_tool_call_output":
		if !slices.Contains(*open, m.CallID) {
			return invalidFieldError("input", "", "No tool call found for function call output with call_id %s.", m.CallID)
		}
		*open = slices.DeleteFunc(*open, func(id string) bool { return id == m.CallID })
		said, p := m.readContent(m.Output, at+".output", "user", ask)
		if p != nil {
			return p
		}
		addMessage(ask, "tool", said)
	case "reasoning":
		return m.checkReasoning(at)
	default:
		return invalidFieldError(at, "invalid_value", "Invalid value: '%s'.", m.Type)
	}
	return nil
}

func (m *responsesItem) readMessage(at string, ask *server.Prompt) *server.Problem {
	if !slices.Contains(strings.Fields("developer system user assistant"), m.Role) {
		return invalidFieldError(at+".role", "invalid_value", "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", m.Role)
	}
	said, p := m.readContent(m.Content, at+".content", m.Role, ask)
	if p != nil {
		return p
	}
	addMessage(ask, m.Role, said)
	return nil
}

func (m *responsesItem) readContent(content json.RawMessage, at, role string, ask *server.Prompt) (string, *server.Problem) {
	if server.JSONType(content) == "string" {
		return server.DecodeString(content), nil
	}
	var parts []responsesPart
	if field, unknown, err := server.DecodeStrict(content, &parts); err != nil {
		if unknown {
			return "", invalidFieldError(at+"."+field, "unknown_parameter", "Unknown parameter: '%s[].%s'.", at, field)
		}
		return "", invalidFieldError(at, "invalid_type", "Invalid type for '%s'.", at)
	}
	kinds := "input_text input_image input_file"
	if role == "assistant" {
		kinds = "output_text refusal"
	}
	var said []string
	for k, part := range parts {
		switch {
		case !slices.Contains(strings.Fields(kinds), part.Type):
			return "", invalidFieldError(fmt.Sprintf("%s[%d]", at, k), "invalid_value", "Invalid value: '%s'. Supported values are: %s.", part.Type, kinds)
		case part.Type == "input_image" && !strings.HasPrefix(part.ImageURL, "data:image/") && !strings.HasPrefix(part.ImageURL, "http"):
			return "", invalidFieldError(fmt.Sprintf("%s[%d].image_url", at, k), "invalid_value", "Invalid '%s[%d].image_url'. Expected a valid URL.", at, k)
		case part.Type == "input_file" && part.FileID+part.FileURL == "" && !strings.HasPrefix(part.FileData, "data:"):
			return "", invalidFieldError(fmt.Sprintf("%s[%d].file_data", at, k), "invalid_value", "Invalid '%s[%d].file_data'. Expected a base64-encoded data URL.", at, k)
		case strings.HasSuffix(part.Type, "text") || part.Type == "refusal":
			said = append(said, part.Text+part.Refusal)
		default:
			ask.MediaCount++
		}
	}
	return strings.Join(said, " "), nil
}

// checkReasoning rejects reasoning that this vendor did not encrypt.
func (m *responsesItem) checkReasoning(at string) *server.Problem {
	if m.Encrypted == "" {
		return &server.Problem{
			Status: 404, Kind: "invalid_request_error", Param: "input",
			Message: fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", m.ID),
		}
	}
	text, signature, _ := strings.Cut(m.Encrypted, ".")
	if signature != server.MakeSignature("reasoning", text) {
		return invalidFieldError(at+".encrypted_content", "invalid_encrypted_content", "The encrypted content %.8s... could not be verified. Reason: Encrypted content could not be decrypted or parsed.", m.Encrypted)
	}
	return nil
}

// encryptReasoning returns the encrypted content of a reasoning item.
func encryptReasoning(thinking string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(thinking))
	return text + "." + server.MakeSignature("reasoning", text)
}

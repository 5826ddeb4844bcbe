package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// block is a content block of a message. It has the fields of all block types.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Source       *blockSource    `json:"source"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	CacheControl *cacheControl   `json:"cache_control"`

	Citations json.RawMessage `json:"citations"`
	Title     json.RawMessage `json:"title"`
	Context   json.RawMessage `json:"context"`
	Caller    json.RawMessage `json:"caller"`
}

type blockSource struct {
	Type      string          `json:"type"`
	MediaType string          `json:"media_type"`
	Data      string          `json:"data"`
	URL       string          `json:"url"`
	FileID    string          `json:"file_id"`
	Content   json.RawMessage `json:"content"`
}

// parseBlocks parses content: a list of blocks, or a string. The second result is an error message.
func parseBlocks(raw json.RawMessage, at string) ([]block, string) {
	switch server.JSONType(raw) {
	case "":
		return nil, ""
	case "string":
		return []block{{Type: "text", Text: server.DecodeString(raw)}}, ""
	case "array":
	default:
		return nil, at + ": Input should be a valid list"
	}
	var list []block
	field, unknown, err := server.DecodeStrict(raw, &list)
	switch {
	case unknown:
		return nil, fmt.Sprintf("%s.%s: Extra inputs are not permitted", at, field)
	case err != nil:
		return nil, at + ": Input has the wrong type"
	}
	return list, ""
}

func (v *conversation) readBlock(at, role string, b block, said *[]string) string {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return "messages: text content blocks must be non-empty"
		}
		if strings.TrimSpace(b.Text) == "" {
			return "messages: text content blocks must contain non-whitespace text"
		}
		*said = append(*said, b.Text)
		v.ask.AddText(role, b.Text)
	case "image", "document":
		v.ask.MediaCount++
		return b.Source.check(at + "." + b.Type + ".source")
	case "tool_use":
		return v.readToolUse(at, role, b)
	case "thinking":
		if b.Signature != server.MakeSignature("thinking", b.Thinking) {
			return at + ": Invalid `signature` in `thinking` block"
		}
	case "redacted_thinking":
		if b.Data != server.MakeSignature("redacted") {
			return at + ": Invalid `data` in `redacted_thinking` block"
		}
	default:
		return fmt.Sprintf("%s: Input tag '%s' found using 'type' does not match any of the expected tags: 'document', 'image', 'redacted_thinking', 'text', 'thinking', 'tool_result', 'tool_use'", at, b.Type)
	}
	return ""
}

func (v *conversation) readToolUse(at, role string, b block) string {
	switch {
	case role != "assistant":
		return at + ": `tool_use` blocks can only be in `assistant` messages"
	case !server.IsValidName(b.ID, 1<<10):
		return at + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
	case !server.IsValidName(b.Name, 200):
		return at + ".tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'"
	case server.JSONType(b.Input) != "object":
		return at + ".tool_use.input: Input should be a valid dictionary"
	case slices.Contains(v.open, b.ID):
		return "messages: `tool_use` ids must be unique"
	}
	v.open = append(v.open, b.ID)
	v.ask.AddCall(b.Name, string(b.Input))
	return ""
}

func (b block) readToolResult() string {
	list, _ := parseBlocks(b.Content, "")
	var said []string
	for _, part := range list {
		said = append(said, part.Text)
	}
	return strings.Join(said, " ")
}

var imageTypes = strings.Fields("image/jpeg image/png image/gif image/webp")

func (s *blockSource) check(at string) string {
	if s == nil {
		return at + ": Field required"
	}
	switch s.Type {
	case "base64":
		if strings.Contains(at, ".image.") && !slices.Contains(imageTypes, s.MediaType) {
			return at + ".base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
		}
		if _, err := base64.StdEncoding.DecodeString(s.Data); err != nil || s.Data == "" {
			return at + ".base64.data: Invalid base64 data"
		}
	case "url":
		// The emulation also accepts HTTP URLs.
		if !strings.HasPrefix(s.URL, "http") {
			return at + ".url.url: Only HTTPS URLs are supported."
		}
	case "text", "content", "file":
	default:
		return at + ": Input tag '" + s.Type + "' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'"
	}
	return ""
}

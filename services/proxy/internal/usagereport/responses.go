package usagereport

import "github.com/signalbox/signalbox/pkg/jsonscan"

// chatNames maps the names in the usage of a Responses API to those of a chat completion.
var chatNames = map[string]string{
	"input_tokens": "prompt_tokens", "input_tokens_details": "prompt_tokens_details",
	"output_tokens": "completion_tokens", "output_tokens_details": "completion_tokens_details",
}

// ResponsesToChat returns the usage of a Responses API with the names of a chat completion. It
// returns nil if v is not an object with members.
func ResponsesToChat(v []byte) []byte {
	chat := []byte{'{'}
	for name, v := range jsonscan.Members(v) {
		renamed, ok := chatNames[string(name)]
		if !ok {
			renamed = string(name)
		}
		chat = append(append(append(jsonscan.AppendQuoted(chat, renamed), ':'), v...), ',')
	}
	if len(chat) == 1 {
		return nil
	}
	chat[len(chat)-1] = '}'
	return chat
}

package openai

// edits is where the values that Outbound may change stand in the body.
type edits struct{}

package decide

// MaxCachedPrefixes is the maximum length of Session.Cached.
const MaxCachedPrefixes = 4

// Session is what is known of a session when one of its requests arrives. A session is the
// requests of one piece of work of one agent or one conversation. Side calls, such as the
// request for a title, do not change it.
type Session struct {
	// Last is the candidate that served the last turn; nil when no turn was served.
	Last *Candidate
	// LastAt is when the last turn ended, in Unix seconds.
	LastAt int64
	// Turns is the number of turns that were served.
	Turns int64
	// ToolLoop means that the request contains the result of a tool that the last turn
	// called.
	ToolLoop bool
	// SideCall means that the request is a side call.
	SideCall bool
	// MarksCache means that the request marks what the provider shall cache.
	MarksCache bool
	// AddedTokens and OutputTokens are the input tokens that one turn adds and the output
	// tokens of one turn, on average.
	AddedTokens, OutputTokens int64
	// Cached is what providers have cached, the newest first.
	Cached []CachedPrefix
}

// CachedPrefix is the start of a conversation that a provider has cached.
type CachedPrefix struct {
	Candidate Candidate
	Tokens    int64
	// Expires is in Unix seconds.
	Expires int64
}

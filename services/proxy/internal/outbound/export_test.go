package outbound

// BuildPlain exports buildPlain.
var BuildPlain = buildPlain

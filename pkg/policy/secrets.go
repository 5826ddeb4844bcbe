package policy

// SecretRule reports whether a document may send the secret with the reference ref to the
// provider at baseURL.
type SecretRule func(ref, baseURL string) bool

// Option changes how Compile checks a document.
type Option func(*compiler)

// RestrictSecrets makes Compile report references to secrets that the rule does not allow.
// It is for documents that do not come from the operator: the author of such a document
// chooses the address that a secret is sent to.
func RestrictSecrets(allowed SecretRule) Option {
	return func(c *compiler) { c.secretAllowed = allowed }
}

const secretNotAllowedMessage = "a published policy must not send %s to this address: the operator can allow it with --policy-secrets or --policy-secrets-dir"

func (c *compiler) allowsSecret(ref, baseURL string) bool {
	return c.secretAllowed == nil || c.secretAllowed(ref, baseURL)
}

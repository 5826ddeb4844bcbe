package requestbody

import "slices"

// ReleaseIssuerState lets providers of other protocols serve a request with reasoning that only
// its issuer can read. Translations do not contain that reasoning. Providers of the client's
// protocol still receive it.
func (r *Request) ReleaseIssuerState() {
	if r.hasEncryptedHistory {
		return
	}
	r.NativeOnly = slices.DeleteFunc(r.NativeOnly, func(name string) bool {
		return name == "signature" || name == nativeEncrypted
	})
}

package credential

import "net/http"

// A Use is one call with a credential: its requests, redirects and a second try
// included. It is for one goroutine at a time. The Use of no name puts nothing
// on a request.
//
//	use := w.Use(name)
//	res, _, err := guard.Send(ctx, req, netguard.Way{Credential: use.Apply})
//	if err == nil && res.StatusCode == http.StatusUnauthorized && use.Refused() {
//		… // once more
//	}
type Use struct {
	wallet *Wallet
	name   string
	last   *http.Request
	tried  bool
}

// Use begins one.
func (w *Wallet) Use(name string) *Use { return &Use{wallet: w, name: name} }

// Apply is [Wallet.Apply] with the context of req.
func (u *Use) Apply(req *http.Request) error {
	if u.name == "" {
		return nil
	}
	u.last = req
	return u.wallet.Apply(req.Context(), u.name, req)
}

// Refused tells that the request was answered 401. It reports, once in a Use at
// most, whether to try again: whether the request carried a token that another
// will take the place of. What is no token stays what it is.
func (u *Use) Refused() bool {
	if u.last == nil || u.tried {
		return false
	}
	e, err := u.wallet.find(u.name)
	if err != nil {
		return false
	}
	if _, ok := e.Kind.(ClientCredentials); !ok {
		return false
	}
	u.tried = true
	return e.tokens.invalidate(u.last)
}

package compile

import "github.com/a2alock/a2alock/internal/address"

// NormalizeURL returns u in the form in which two addresses are compared:
// scheme and host in lower case, without the scheme's default port, and a GRPC
// host:port as the https URL it stands for. Path, query and all else stay as
// they are. What is no absolute URL is returned as it is.
func NormalizeURL(binding, u string) string { return address.Normalize(binding, u) }

// Origin returns the normalised scheme://host:port of u, the port only where
// it is not the scheme's default; "" when u is not absolute.
func Origin(binding, u string) string { return address.Origin(binding, u) }

package card

import (
	"strings"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// A version is a protocol version, Major.Minor with a patch number at most
// (A2A 3.6).
type version struct {
	text         string
	major, minor string // "" when malformed
	patch        bool
}

func parseVersion(text string) version {
	v := version{text: text}
	parts := strings.Split(text, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return v
	}
	for _, p := range parts {
		if p == "" || len(p) > 6 || strings.Trim(p, "0123456789") != "" || len(p) > 1 && p[0] == '0' {
			return v
		}
	}
	v.major, v.minor, v.patch = parts[0], parts[1], len(parts) == 3
	return v
}

// majorMinor is what versions are compared by; "" when malformed or absent.
func (v version) majorMinor() string {
	if v.major == "" {
		return ""
	}
	return v.major + "." + v.minor
}

// checkOwnVersion judges the version of one interface.
func (ir *interfaceReader) checkOwnVersion(e *jsondoc.Element, v version, n jsondoc.Ref) {
	switch {
	case v.major == "":
		ir.Gap(e, "bad-version", n, "protocolVersion: %s is not Major.Minor, so that no client chooses this interface", jsondoc.Quote(v.text))
	case v.patch:
		ir.Warn("version-patch", n, "protocolVersion: %s has a patch number, which never counts (A2A 3.6)", jsondoc.Quote(v.text))
	}
}

// checkVersion judges the card's own protocolVersion, which is an error only
// where an interface depends on it.
func (ir *interfaceReader) checkVersion(e *jsondoc.Element) {
	n, v := ir.m.At[cProtocolVersion], ir.card
	legacy := ir.c.Shape == Shape03 || ir.c.Shape == Shape02
	switch {
	case n == 0:
	case ir.At(n).Kind != '"':
		sev := Gap
		if ir.used {
			sev = Error
		}
		ir.Is('"', sev, e, n)
	case v.text == "":
	case v.major == "":
		ir.Gap(e, "bad-version", n, "protocolVersion: %s is not Major.Minor", jsondoc.Quote(v.text))
	case v.major != "0" && legacy:
		ir.Warn("version-shape", n, "protocolVersion: %s, and all addresses stand in members of 0.3: read as 0.3", jsondoc.Quote(v.text))
	case v.major != "0" && v.patch:
		ir.Warn("version-patch", n, "protocolVersion: %s has a patch number, which never counts (A2A 3.6)", jsondoc.Quote(v.text))
	}
}

package card

import "strings"

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
func (ir *interfaceReader) checkOwnVersion(e *element, v version, n ref) {
	switch {
	case v.major == "":
		ir.gap(e, "bad-version", n, "protocolVersion: %s is not Major.Minor, so that no client chooses this interface", quote(v.text))
	case v.patch:
		ir.warn("version-patch", n, "protocolVersion: %s has a patch number, which never counts (A2A 3.6)", quote(v.text))
	}
}

// checkVersion judges the card's own protocolVersion, which is an error only
// where an interface depends on it.
func (ir *interfaceReader) checkVersion(e *element) {
	n, v := ir.m.at[cProtocolVersion], ir.card
	legacy := ir.c.Shape == Shape03 || ir.c.Shape == Shape02
	switch {
	case n == 0:
	case ir.nodes[n].kind != '"':
		sev := Gap
		if ir.used {
			sev = Error
		}
		ir.is('"', sev, e, n)
	case v.text == "":
	case v.major == "":
		ir.gap(e, "bad-version", n, "protocolVersion: %s is not Major.Minor", quote(v.text))
	case v.major != "0" && legacy:
		ir.warn("version-shape", n, "protocolVersion: %s, and all addresses stand in members of 0.3: read as 0.3", quote(v.text))
	case v.major != "0" && v.patch:
		ir.warn("version-patch", n, "protocolVersion: %s has a patch number, which never counts (A2A 3.6)", quote(v.text))
	}
}

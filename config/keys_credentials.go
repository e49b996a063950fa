package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/settings"
	"github.com/a2alock/a2alock/internal/want"
	"github.com/a2alock/a2alock/netguard"
)

// readCredentials reads a mapping of names and credentials, in its order.
func (c *Config) readCredentials(d *settings.Decoder, v settings.Value) {
	c.Credentials, c.named = nil, map[string]bool{}
	d.Entries(v, func(name string, k, v settings.Value) {
		c.named[name] = true
		if err := want.Label(name); err != nil {
			d.Fail(k, "%s: %v", settings.Short(name), err)
			return
		}
		e := credential.Credential{Name: name}
		keys := c.credentialKeys(&e)
		if !d.Mapping(v, keys, "origins") {
			return
		}
		var kinds, given []string
		for _, k := range keys {
			if k.Keys == nil {
				continue
			}
			kinds = append(kinds, k.Name)
			if d.Has(v, k.Name) {
				given = append(given, k.Name)
			}
		}
		switch len(given) {
		case 0:
			d.Fail(v, "of no kind: %v", want.OneOf(kinds...)(""))
		case 1:
			if e.Kind != nil {
				c.Credentials = append(c.Credentials, e)
			}
		case 2:
			d.Fail(v, "two kinds: %s and %s: want one", given[0], given[1])
		default:
			d.Fail(v, "%d kinds: %s: want one", len(given), strings.Join(given, ", "))
		}
	})
}

func (c *Config) credentialKeys(e *credential.Credential) []settings.Key {
	var token, key, password, secret credential.Value
	var apiKey credential.APIKey
	var basic credential.Basic
	var oauth credential.ClientCredentials
	var mtls credential.MutualTLS
	var origins settings.Value

	k := kindReader{config: c, into: e, at: map[string]settings.Value{}}
	return []settings.Key{
		{Name: "origins", Read: func(d *settings.Decoder, v settings.Value) {
			origins = v
			e.Origins = settings.List(d, v, readOrigin(d))
			settings.Unique(d, v, e.Origins)
			if v.IsList() && len(e.Origins) == 0 {
				d.Doubt(v, "want one origin at least: without, it could go nowhere")
			}
		}},
		{Name: "scopes", Read: settings.Texts(&e.Scopes, want.Scope)},
		{
			Name: "bearer", Secret: true, Keys: k.secret("token", &token),
			Then: k.then(func() credential.Kind { return credential.Bearer{Token: token} }),
		},
		{
			Name: "api_key", Secret: true,
			Keys: append(k.secret("key", &key), k.text("in", &apiKey.In), k.text("name", &apiKey.Name)),
			Then: k.then(func() credential.Kind { apiKey.Key = key; return apiKey }),
		},
		{
			Name: "basic", Secret: true,
			Keys: append(k.secret("password", &password), k.text("user", &basic.User)),
			Then: k.then(func() credential.Kind { basic.Password = password; return basic }),
		},
		{
			Name: "oauth2_client_credentials", Secret: true,
			Keys: append(k.secret("client_secret", &secret),
				hidden(k.text("token_url", &oauth.TokenURL)), k.text("client_id", &oauth.ClientID), k.text("auth_style", &oauth.AuthStyle),
				settings.Key{Name: "scopes", Read: settings.Texts(&oauth.Scopes, want.Scope)},
				settings.Key{Name: "params", Secret: true, Read: k.params(&oauth.Params)}),
			Then: k.then(func() credential.Kind { oauth.Secret = secret; return oauth }),
		},
		{
			Name: "mtls", Secret: true,
			Keys: []settings.Key{k.file("cert_file", &mtls.CertFile), k.file("key_file", &mtls.KeyFile)},
			Then: func(d *settings.Decoder, v settings.Value) {
				k.then(func() credential.Kind { return mtls })(d, v)
				d.Later(func() {
					for i, o := range e.Origins {
						if strings.HasPrefix(o, "http:") {
							d.Doubt(origins.Entry(i), "%s: plain http has no certificates", origins.Entry(i).Text())
						}
					}
				})
			},
		},
	}
}

// A kindReader reads the kind of one credential.
type kindReader struct {
	config *Config
	into   *credential.Credential
	at     map[string]settings.Value // what was read, by key
}

// text reads a text, which is judged with the others.
func (k *kindReader) text(name string, dst *string) settings.Key {
	return settings.Key{Name: name, Read: func(d *settings.Decoder, v settings.Value) {
		d.Set(v, func(s string) error {
			*dst, k.at[name] = s, v
			return nil
		})
	}}
}

// hidden is key with a value that may hold a secret.
func hidden(key settings.Key) settings.Key {
	key.Secret = true
	return key
}

// file reads the path of a file, seen from the folder of the config.
func (k *kindReader) file(name string, dst *string) settings.Key {
	return settings.Key{Name: name, Read: func(d *settings.Decoder, v settings.Value) {
		settings.Text(dst, want.Path("a file"))(d, v)
		*dst = k.config.File(*dst)
	}}
}

// secret reads a value, or the file of one: neither stands in the config.
func (k *kindReader) secret(name string, dst *credential.Value) []settings.Key {
	path := ""
	file := k.file(name+"_file", &path)
	return []settings.Key{
		{Name: name, Secret: true, Read: func(d *settings.Decoder, v settings.Value) {
			d.Set(v, func(s string) error {
				*dst, k.at[name] = credential.Literal(s), v
				if !v.HasVariable() {
					return fmt.Errorf("a secret does not belong in this file: want ${NAME}, or %s_file", name)
				}
				return nil
			})
		}},
		{Name: file.Name, Read: func(d *settings.Decoder, v settings.Value) {
			file.Read(d, v)
			if path != "" {
				*dst = credential.File(path)
			}
		}},
	}
}

// params reads what is sent to a token server beside the grant.
func (k *kindReader) params(dst *url.Values) func(*settings.Decoder, settings.Value) {
	return func(d *settings.Decoder, v settings.Value) {
		ok := func(string) error { return nil }
		var pairs map[string]string
		settings.Pairs(&pairs, ok, ok)(d, v)
		*dst, k.at["params"] = url.Values{}, v
		for name, value := range pairs {
			dst.Set(name, value)
		}
	}
}

// secrets are the keys that have a twin for a file.
var secrets = []string{"token", "key", "password", "client_secret"}

// then takes the kind, and says what is wrong with it, but for values with a
// variable that is not set.
func (k *kindReader) then(kind func() credential.Kind) func(*settings.Decoder, settings.Value) {
	return func(d *settings.Decoder, v settings.Value) {
		k.into.Kind = kind()
		for _, name := range secrets {
			if d.Has(v, name) && d.Has(v, name+"_file") {
				d.Fail(v, "want either %s or %s_file", name, name)
			}
		}
		for _, f := range credential.Faults(k.into.Kind) {
			switch at, read := k.at[f.Field]; {
			case f.Field == "scopes": // each was judged when it was read
			case read && at.IsMapping():
				d.Doubt(at, "%v", f.Err)
			case read:
				d.Doubt(at, "%s: %v", at.Text(), f.Err)
			case d.Has(v, f.Field) || d.Has(v, f.Field+"_file"): // no value, or one that was told of
			case slices.Contains(secrets, f.Field):
				d.Fail(v, "want the key %s or %s_file", f.Field, f.Field)
			default:
				d.Fail(v, "want the key %s", f.Field)
			}
		}
	}
}

// readOrigin reads an origin that a credential may go to.
func readOrigin(d *settings.Decoder) func(settings.Value, *string) {
	return func(v settings.Value, dst *string) {
		d.Set(v, func(s string) error {
			*dst = s
			shown := v.Text()
			if strings.Contains(s, "@") { // perhaps a password
				shown = settings.Hidden
			}
			if err := isOrigin(s); err != nil {
				d.Doubt(v, "%s: %v", shown, err)
			}
			return nil
		})
	}
}

// isOrigin wants an origin that a credential may go to.
func isOrigin(s string) error {
	origin, err := netguard.ParseOrigin(s)
	if err != nil {
		return errors.New("want https://HOST or https://HOST:PORT, and nothing behind it")
	}
	if u, err := url.Parse(origin); err == nil && u.Scheme == "http" && !netguard.IsLoopback(u) {
		return errors.New("plain http would show it on the way: want https")
	}
	return nil
}

// readHeld reads what the client holds: names of credentials, or what is said of
// others here.
func (c *Config) readHeld(d *settings.Decoder, v settings.Value) {
	c.holdsNamed = true
	held := &c.Client.Credentials
	var at []settings.Value // of the names
	*held = settings.List(d, v, func(v settings.Value, h *compile.Credential) {
		i := len(at)
		at = append(at, v)
		if !v.IsMapping() {
			settings.Text(&h.Name, want.Name)(d, v)
			return
		}
		keys := heldKeys(h)
		read := keys[0].Read
		keys[0].Read = func(d *settings.Decoder, v settings.Value) {
			at[i] = v
			read(d, v)
		}
		d.Mapping(v, keys, "name")
	})
	names := make([]string, len(*held))
	for i, h := range *held {
		names[i] = h.Name
	}
	settings.Unique(d, v, names)
	d.Later(func() {
		for i := range *held {
			c.resolve(d, &(*held)[i], v.Entry(i), at[i])
		}
	})
}

// resolve takes kind, scopes and origins of the entry v from the credential whose
// name stands at name.
func (c *Config) resolve(d *settings.Decoder, h *compile.Credential, v, name settings.Value) {
	e := c.credential(h.Name)
	kind := v.IsMapping() && d.Has(v, "kind")
	switch {
	case want.Name(h.Name) != nil: // a variable that is not set, or it was told
	case e == nil && (kind || c.named[h.Name]): // why one could not be read was told
	case e == nil && v.IsMapping() && !d.Has(settings.Value{}, "credentials"):
		d.Fail(v, "want the key kind")
	case e == nil:
		d.Fail(name, "%s: no credential of that name under credentials%s", name.Text(), c.nearCredential(h.Name))
	case kind || v.IsMapping() && d.Has(v, "scopes"):
		d.Fail(v, "kind and scopes are those of credentials.%s: leave them out here", h.Name)
	default:
		*h = e.Held()
	}
}

// nearCredential is the advice for who wrote name.
func (c *Config) nearCredential(name string) string {
	names := make([]string, len(c.Credentials))
	for i, e := range c.Credentials {
		names[i] = e.Name
	}
	if near := slipOf(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// readRoots reads a mapping of origins and the files of their roots.
func (c *Config) readRoots(d *settings.Decoder, v settings.Value) {
	c.Network.CAFiles = map[string]string{}
	lines := map[string]int{}
	d.Entries(v, func(name string, k, v settings.Value) {
		origin, err := netguard.ParseOrigin(name)
		if err != nil || !strings.HasPrefix(origin, "https:") {
			shown := settings.Hidden // perhaps a password
			if !strings.Contains(name, "@") {
				shown = settings.Short(name)
			}
			d.Doubt(k, "%s: want https://HOST or https://HOST:PORT, and nothing behind it", shown)
			return
		}
		if first, ok := lines[origin]; ok {
			d.Doubt(k, "%s: the origin of line %d again", k.Text(), first)
			return
		}
		lines[origin] = k.Line
		path := ""
		settings.Text(&path, want.Path("a file with certificates"))(d, v)
		if path != "" {
			c.Network.CAFiles[name] = c.File(path)
		}
	})
}

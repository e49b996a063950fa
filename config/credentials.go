package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/netguard"
)

// hold settles what the client holds, once the file was read: without
// client.credentials every one of Credentials.
func (c *Config) hold() {
	for i := range c.Credentials {
		e := &c.Credentials[i]
		e.Err = c.Require("/credentials/" + e.Name)
	}
	if c.holdsNamed || len(c.Credentials) == 0 {
		return
	}
	c.Client.Credentials = make([]compile.Credential, len(c.Credentials))
	for i := range c.Credentials {
		c.Client.Credentials[i] = c.Credentials[i].Held()
	}
}

// credential is the one called name, or nil.
func (c *Config) credential(name string) *credential.Credential {
	i := slices.IndexFunc(c.Credentials, func(e credential.Credential) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Credentials[i]
}

// CheckFiles reads the files that credentials and network.ca_files name, as
// whoever uses them will. The error joins what is wrong with them, each with its
// line; warn is told of secrets that others than their owner may read. A
// credential with a variable that is not set is for [Config.Require].
func (c *Config) CheckFiles(warn func(text string)) error {
	var errs []error
	fault := func(pointer string, err error) {
		key := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
		errs = append(errs, fmt.Errorf("%s:%d: %s: %w", c.Path, c.Line(pointer), key, err))
	}
	for i := range c.Credentials {
		e := &c.Credentials[i]
		if e.Err != nil {
			continue
		}
		for _, f := range e.Check(func(text string) { warn(fmt.Sprintf("credentials.%s: %s", e.Name, text)) }) {
			fault("/credentials/"+e.Name+"/"+kindName(e.Kind)+"/"+f.Field, f.Err)
		}
	}
	for _, origin := range slices.Sorted(maps.Keys(c.Network.CAFiles)) {
		if err := netguard.CheckRoots(c.Network.CAFiles[origin]); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: network.ca_files: %s: %w", c.Path, c.Line("/network/ca_files"), origin, err))
		}
	}
	return errors.Join(errs...)
}

// kindName is the key of a kind.
func kindName(k credential.Kind) string {
	switch k.(type) {
	case credential.Bearer:
		return "bearer"
	case credential.APIKey:
		return "api_key"
	case credential.Basic:
		return "basic"
	case credential.ClientCredentials:
		return "oauth2_client_credentials"
	}
	return "mtls"
}

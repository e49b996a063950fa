package a2alock_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
)

// unit reads a unit of systemd loosely: the values of each "Section.Key".
func unit(t *testing.T, path string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values, section := map[string][]string{}, ""
	for i, line := range strings.Split(string(data), "\n") {
		name, value, assigns := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = strings.Trim(line, "[]")
		case assigns && section != "" && !strings.ContainsAny(name, " \t"):
			values[section+"."+name] = append(values[section+"."+name], value)
		default:
			t.Errorf("%s:%d: %q is no line of a unit", path, i+1, line)
		}
	}
	return values
}

// What a2alockd is run by lets it do what it has to, and nothing besides.
func TestServiceUnit(t *testing.T) {
	got := unit(t, "packaging/a2alockd.service")
	for key, want := range map[string]string{
		"Service.Type":                    "notify",
		"Service.ExecStart":               "/usr/local/bin/a2alockd run --config /etc/a2alock/a2alock.yaml",
		"Service.ExecReload":              "/bin/kill -HUP $MAINPID",
		"Service.Restart":                 "on-failure",
		"Unit.StartLimitIntervalSec":      "300",
		"Unit.StartLimitBurst":            "10",
		"Service.DynamicUser":             "yes",
		"Service.StateDirectory":          "a2alockd",
		"Service.StateDirectoryMode":      "0700",
		"Service.UMask":                   "0077",
		"Service.NoNewPrivileges":         "yes",
		"Service.CapabilityBoundingSet":   "",
		"Service.ProtectSystem":           "strict",
		"Service.ProtectHome":             "yes",
		"Service.PrivateTmp":              "yes",
		"Service.PrivateDevices":          "yes",
		"Service.RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
		"Service.MemoryDenyWriteExecute":  "yes",
		"Service.RestrictNamespaces":      "yes",
		"Service.SystemCallErrorNumber":   "EPERM",
		"Install.WantedBy":                "multi-user.target",
	} {
		if !slices.Equal(got[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
	for _, key := range []string{"Unit.Description", "Unit.After", "Service.WatchdogSec", "Service.TimeoutStopSec", "Service.SystemCallFilter"} {
		if len(got[key]) == 0 {
			t.Errorf("the unit does not say %s", key)
		}
	}
	// A panic of Go's ends with 2, as a wrong config does.
	if never := got["Service.RestartPreventExitStatus"]; len(never) > 0 {
		t.Errorf("RestartPreventExitStatus = %q: a crash is not restarted", never)
	}
	if pause, err := time.ParseDuration(got["Service.RestartSec"][0]); err != nil || 10*pause >= 300*time.Second {
		t.Errorf("RestartSec = %v, %v: ten starts take longer than the interval that limits them", pause, err)
	}
	grace := config.Default().Daemon.ShutdownGrace
	if stop, err := time.ParseDuration(got["Service.TimeoutStopSec"][0]); err != nil || stop <= grace {
		t.Errorf("TimeoutStopSec = %v, %v; want more than shutdown_grace, which is %v", stop, err, grace)
	}
}

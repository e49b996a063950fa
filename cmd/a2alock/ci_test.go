package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/a2alock/a2alock/internal/agenttest"
)

// parsed reads a YAML file of the project's folder.
func parsed[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	if err := yaml.Unmarshal(fileOf(t, name), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func fileOf(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A hook is one of .pre-commit-hooks.yaml.
type hook struct {
	ID, Name, Description, Entry, Language, Files string
	PassFilenames                                 *bool `yaml:"pass_filenames"`
	AlwaysRun                                     bool  `yaml:"always_run"`
	RequireSerial                                 bool  `yaml:"require_serial"`
}

// A workplace is a repository with an agent, its lock, and a branch beside main:
// where what the documents show can be run.
func workplace(t *testing.T) (dir string, env []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	agent, err := agenttest.Listen(agenttest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Close() })
	dir = t.TempDir()
	path := os.Getenv("PATH") // the test binary is in it as a2alock
	if bin := plain(t); bin != "" {
		path = bin + string(filepath.ListSeparator) + path
	}
	env = []string{"PATH=" + path, "HOME=" + dir, "TMPDIR=" + t.TempDir(), "RUNNER_TEMP=" + t.TempDir(), "AGENT=" + agent.URL(), "NO_COLOR=1"}
	for _, v := range gitEnvironment {
		env = append(env, v[0]+"="+v[1])
	}
	sh(t, dir, env, `
git init -q -b main .
echo 'policy: {fail_on: breaking}' >a2alock.yaml
a2alock pin "$AGENT" --skill itinerary-pricing --workflow travel --owner team-travel -o locks/quote.a2a.lock.json
git add .
git commit -qm one
git update-ref refs/remotes/origin/main HEAD
git checkout -qb topic
a2alock pin "$AGENT" --skill fare-rules --workflow fares --owner team-travel -o locks/rules.a2a.lock.json
git add .
git commit -qm two
`)
	return dir, env
}

// sh runs a script that must end well.
func sh(t *testing.T, dir string, env []string, script string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-euc", script)
	c.Dir, c.Env = dir, env
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("%v of\n%s\n%s", err, script, &out)
	}
	return out.String()
}

func TestPreCommitHooks(t *testing.T) {
	hooks := parsed[[]hook](t, ".pre-commit-hooks.yaml")
	dir, env := workplace(t)
	var ids []string
	for _, h := range hooks {
		ids = append(ids, h.ID)
		if h.Name == "" || h.Description == "" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "a2alock ") {
			t.Errorf("%+v", h)
		}
		files, err := regexp.Compile(h.Files)
		if err != nil || !files.MatchString("locks/quote.a2a.lock.json") || !files.MatchString("a2a.lock.json") || files.MatchString("a2a.lock.jsonl") {
			t.Errorf("%s: files %q, %v", h.ID, h.Files, err)
		}
		command := h.Entry
		if h.PassFilenames == nil || *h.PassFilenames {
			command += " locks/quote.a2a.lock.json locks/rules.a2a.lock.json"
		} else if !h.AlwaysRun {
			t.Errorf("%s: a lock that was deleted is in no list of files, and would go unseen", h.ID)
		}
		sh(t, dir, env, command)
	}
	if want := []string{"a2alock-fmt", "a2alock-check", "a2alock-review"}; !slices.Equal(ids, want) {
		t.Errorf("hooks %q, want %q", ids, want)
	}
	if clean := sh(t, dir, env, "git status --porcelain"); clean != "" {
		t.Errorf("the hooks changed what was right: %s", clean)
	}
}

// An action is action.yml.
type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

// Inputs go into the script's environment and nowhere else: in a command line they
// would be read as one.
func TestAction(t *testing.T) {
	a := parsed[action](t, "action.yml")
	script := string(fileOf(t, "packaging/action.sh"))
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 1 {
		t.Fatalf("runs %+v", a.Runs)
	}
	step := a.Runs.Steps[0]
	if step.Run != `bash "$GITHUB_ACTION_PATH/packaging/action.sh"` || step.Shell != "bash" {
		t.Errorf("the step runs %q", step.Run)
	}
	if len(step.Env) != len(a.Inputs) {
		t.Errorf("%d inputs, and %d of them reach the script", len(a.Inputs), len(step.Env))
	}
	for name, input := range a.Inputs {
		variable := "A2ALOCK_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if input.Description == "" || step.Env[variable] != "${{ inputs."+name+" }}" || !strings.Contains(script, "${"+variable) {
			t.Errorf("input %s: %q is %q", name, variable, step.Env[variable])
		}
	}
	for _, name := range []string{"status", "exit-code", "report"} {
		if a.Outputs[name].Value != "${{ steps."+step.ID+".outputs."+name+" }}" || !strings.Contains(script, "output "+name+" ") {
			t.Errorf("output %s is %q", name, a.Outputs[name].Value)
		}
	}
	if strings.Contains(script, "${{") || strings.Contains(script, "eval") {
		t.Error("the script holds an expression of a workflow, or evaluates a text")
	}
	if info, err := os.Stat("../../packaging/action.sh"); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("packaging/action.sh is no program: %v, %v", info, err)
	}
}

// An instruction of the Dockerfile, with the flags and words behind its name.
type instruction struct {
	name  string
	flags map[string]string
	words []string
}

func instructions(t *testing.T) []instruction {
	t.Helper()
	text := strings.ReplaceAll(string(fileOf(t, "Dockerfile")), "\\\n", " ")
	var list []instruction
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		i := instruction{name: words[0], flags: map[string]string{}}
		for _, w := range words[1:] {
			if name, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(name, "--") && len(i.words) == 0 {
				i.flags[name] = value
				continue
			}
			i.words = append(i.words, w)
		}
		list = append(list, i)
	}
	return list
}

func TestDockerfile(t *testing.T) {
	ends := map[string]string{}
	stages := 0
	for _, i := range instructions(t) {
		switch i.name {
		case "FROM":
			stages++
			image, tag, tagged := strings.Cut(i.words[0], ":")
			if image != "scratch" && (!tagged || tag == "latest" || strings.Count(tag, ".") < 2) || strings.ContainsAny(image, "/.") {
				t.Errorf("FROM %s: want a short name with the tag of one release", i.words[0])
			}
		case "COPY":
			for _, source := range i.words[:len(i.words)-1] {
				if _, err := os.Stat(filepath.Join("../..", source)); err != nil && i.flags["--from"] == "" {
					t.Errorf("COPY %s: %v", source, err)
				}
			}
			if i.flags["--from"] != "" && i.flags["--from"] != "build" {
				t.Errorf("COPY from %q", i.flags["--from"])
			}
		case "RUN":
			for _, w := range i.words {
				if _, err := os.Stat(filepath.Join("../..", w)); err != nil && strings.HasPrefix(w, "./cmd/") {
					t.Errorf("RUN %s: %v", w, err)
				}
			}
		}
		ends[i.name] = strings.Join(i.words, " ")
	}
	if stages != 2 {
		t.Errorf("%d stages, want one that builds and one that is left", stages)
	}
	for name, want := range map[string]string{
		"FROM": "scratch", "USER": "65532:65532", "VOLUME": "/var/lib/a2alockd",
		"ENTRYPOINT":  `["/usr/local/bin/a2alockd"]`,
		"CMD":         `["run", "--config", "/etc/a2alock/a2alock.yaml"]`,
		"HEALTHCHECK": `CMD ["/usr/local/bin/a2alock", "status", "--config", "/etc/a2alock/a2alock.yaml"]`,
	} {
		if ends[name] != want {
			t.Errorf("%s %s, want %s", name, ends[name], want)
		}
	}
}

func TestDockerBuild(t *testing.T) {
	if err := exec.CommandContext(t.Context(), "docker", "info").Run(); err != nil {
		t.Skip("there is no docker that runs:", err)
	}
	if os.Getenv("A2ALOCK_DOCKER") == "" {
		t.Skip("A2ALOCK_DOCKER is not set: a build pulls an image and all modules")
	}
	build := exec.CommandContext(t.Context(), "docker", "build", "-q", "-t", "a2alock-test", "../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("docker build: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "a2alock-test", "version").CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("a2alockd ")) {
		t.Errorf("docker run: %v\n%s", err, out)
	}
}

// fenced finds the blocks of a document.
var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// What docs/ci.md shows can be copied: the shell runs, the YAML is YAML, and what
// it names is there.
func TestCIDocument(t *testing.T) {
	dir, env := workplace(t)
	ran := 0
	for _, b := range fenced.FindAllStringSubmatch(string(fileOf(t, "docs/ci.md")), -1) {
		switch kind, text := b[1], b[2]; kind {
		case "sh":
			if _, err := exec.LookPath("curl"); err != nil && strings.Contains(text, "curl ") {
				t.Log("there is no curl")
				continue
			}
			sh(t, dir, env, text)
			ran++
		case "yaml":
			checkSetup(t, text)
		case "text":
		default:
			t.Errorf("a block of %q", kind)
		}
	}
	if ran < 4 {
		t.Errorf("%d blocks ran", ran)
	}
	for _, name := range []string{"a2alock.xml", "a2alock.sarif", "a2alock.md", "a2alock.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkSetup holds a set-up against the action and the hooks that it uses.
func checkSetup(t *testing.T, text string) {
	t.Helper()
	var setup struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
		Repos []struct{ Hooks []struct{ ID string } }
	}
	if err := yaml.Unmarshal([]byte(text), &setup); err != nil {
		t.Errorf("%v in\n%s", err, text)
		return
	}
	a := parsed[action](t, "action.yml")
	for _, job := range setup.Jobs {
		for _, step := range job.Steps {
			for input := range step.With {
				if _, ok := a.Inputs[input]; strings.HasPrefix(step.Uses, "a2alock/") && !ok {
					t.Errorf("the action has no input %s, but %q", input, slices.Sorted(maps.Keys(a.Inputs)))
				}
			}
		}
	}
	hooks := parsed[[]hook](t, ".pre-commit-hooks.yaml")
	for _, repo := range setup.Repos {
		for _, used := range repo.Hooks {
			if !slices.ContainsFunc(hooks, func(h hook) bool { return h.ID == used.ID }) {
				t.Errorf("there is no hook %s", used.ID)
			}
		}
	}
}

// Package gitrepo reads what a git repository holds, through the git program.
//
// It asks plumbing commands alone, and asks them so that nothing else runs:
// whatever the repository's configuration says, there are no hooks, no file
// system monitor, no filters and no text conversions, nothing is fetched for a
// partial clone, and nothing is written. Replaced objects and grafts, which would
// show another history than the one that is pushed, are not looked at.
//
// Paths are from the top of the repository, with forward slashes, as git has
// them: any bytes but NUL.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What keeps [Open] from a repository; an [*UnsafeError] is another.
var (
	ErrNoGit        = errors.New("there is no git program")
	ErrNoRepository = errors.New("not inside a git repository")
)

// An UnsafeError is a repository of another owner, which git does not touch
// before somebody says that it may.
type UnsafeError struct{ Dir string }

// Error names the repository.
func (e *UnsafeError) Error() string {
	return fmt.Sprintf("the repository at %s belongs to another user, and git does not read it", e.Dir)
}

// A CommandError is a command of git that failed.
type CommandError struct {
	Command string // "ls-tree"
	Stderr  string // what git said; may be ""
	Err     error
}

// Error is what git said, as far as one line: what stopped it, else the first.
func (e *CommandError) Error() string {
	said, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	for line := range strings.Lines(e.Stderr) {
		if fatal, ok := strings.CutPrefix(line, "fatal: "); ok {
			said = strings.TrimSpace(fatal)
			break
		}
	}
	if said == "" {
		said = e.Err.Error()
	}
	return "git " + e.Command + ": " + said
}

// Unwrap is why the command ended.
func (e *CommandError) Unwrap() error { return e.Err }

// A Repo is a repository as it is met from one folder. It is safe for concurrent
// use.
type Repo struct {
	Top     string // of the working tree; "" where there is none
	Prefix  string // the folder it was opened from, below Top: "" or "a/b/"
	Shallow bool   // the history was cut off when it was cloned

	dir string // where git runs
	env []string
}

// Open finds the repository that dir is in, as git does.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{dir: dir, env: environment()}
	out, err := r.git(ctx, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--absolute-git-dir")
	if err != nil {
		return nil, notOpened(err)
	}
	lines := strings.SplitN(string(out), "\n", 3) // the folder comes last, since its name may have line breaks
	if len(lines) < 3 {
		return nil, fmt.Errorf("git rev-parse answered %q", out)
	}
	r.Shallow = lines[1] == "true"
	if lines[0] == "true" {
		prefix, err := r.git(ctx, "rev-parse", "--show-prefix")
		if err != nil {
			return nil, err
		}
		top, err := r.git(ctx, "rev-parse", "--show-toplevel")
		if err != nil {
			return nil, err
		}
		r.Prefix = strings.TrimSuffix(string(prefix), "\n")
		r.Top = filepath.FromSlash(strings.TrimSuffix(string(top), "\n"))
		r.dir = r.Top
		r.env = append(r.env, "GIT_WORK_TREE="+r.Top)
	}
	// From here on the repository is the one that was found, wherever git runs.
	r.env = append(r.env, "GIT_DIR="+strings.TrimSuffix(lines[2], "\n"))
	return r, nil
}

// dubious matches what git says of a repository that another user owns.
var dubious = regexp.MustCompile(`detected dubious ownership in repository at '([^\n]*)'`)

// notOpened is why there is no repository to read.
func notOpened(err error) error {
	failed, ok := errors.AsType[*CommandError](err)
	if !ok {
		return err
	}
	if m := dubious.FindStringSubmatch(failed.Stderr); m != nil {
		return &UnsafeError{Dir: m[1]}
	}
	if strings.Contains(failed.Stderr, "not a git repository") {
		return ErrNoRepository
	}
	return err
}

// environment is that of this process, with what keeps git to itself. Where a
// hook runs this program, GIT_DIR and its like name the repository, and stay.
func environment() []string {
	return append(os.Environ(),
		"LC_ALL=C", // its messages are read
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", // older versions know the second alone
		"GIT_TERMINAL_PROMPT=0",
		"GIT_GRAFT_FILE="+os.DevNull,
		"GIT_LITERAL_PATHSPECS=1",
	)
}

// always are the options of every command. What a command line says goes before
// what a repository configures.
var always = []string{
	"--no-pager", "--no-replace-objects",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.warnAmbiguousRefs=true", // see Repo.Commit
	"-c", "advice.graftFileDeprecated=false",
}

// maxAnswer is how much of an answer that is read whole may come.
const maxAnswer = 64 << 20

// git runs a command and returns what it wrote.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := r.warned(ctx, args...)
	return out, err
}

// warned is git, and returns what the command had to say beside its answer.
func (r *Repo) warned(ctx context.Context, args ...string) (out []byte, stderr string, err error) {
	stderr, err = r.run(ctx, nil, func(stdout io.Reader) error {
		var err error
		out, err = io.ReadAll(io.LimitReader(stdout, maxAnswer))
		return err
	}, args...)
	return out, stderr, err
}

// run runs a command with stdin, and has read take what it writes. Where read
// fails the command ends, and the error is that of read.
func (r *Repo) run(ctx context.Context, stdin []byte, read func(io.Reader) error, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil { // also one in the working directory, which anybody may have put there
		return "", ErrNoGit
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := exec.CommandContext(ctx, program, slices.Concat(always, args)...)
	var stderr bytes.Buffer
	c.Dir, c.Env = r.dir, r.env
	c.Stdin, c.Stderr = bytes.NewReader(stdin), &stderr
	c.WaitDelay = time.Second // a child of git's that holds the pipe holds up nobody
	stdout, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", &CommandError{Command: args[0], Err: err}
	}
	unread := read(stdout)
	if unread != nil {
		cancel()
	}
	if err = c.Wait(); errors.Is(err, exec.ErrWaitDelay) && unread == nil {
		err = nil // git itself has ended well, and said all
	}
	switch {
	case unread != nil:
		return stderr.String(), unread
	case err != nil:
		return stderr.String(), &CommandError{Command: args[0], Stderr: stderr.String(), Err: err}
	}
	return stderr.String(), nil
}

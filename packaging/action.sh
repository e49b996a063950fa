#!/usr/bin/env bash
# What action.yml runs. Everything comes in environment variables and goes on as
# arguments: no text of an input is ever part of a command line that a shell reads.
# It ends with the exit code of a2alock.
set -uo pipefail

say() { printf 'a2alock action: %s\n' "$*" >&2; }

# output gives a value of one line to later steps.
output() {
	[ -n "${GITHUB_OUTPUT:-}" ] && printf '%s=%s\n' "$1" "${2//[$'\r\n']/ }" >>"$GITHUB_OUTPUT"
}

# fail ends a run that did not come to a result.
fail() {
	say "$2"
	output status error
	output exit-code "$1"
	exit "$1"
}

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/a2alock.XXXXXX") || fail 3 "no folder for temporary files"
# An empty one would make a build look at the whole disk.
[ -d "$work" ] || fail 3 "no folder for temporary files"

# The program: a binary that is there, a version of the module, or the sources of
# this action, which are those of the commit that the workflow names.
program=${A2ALOCK_BINARY:-}
version=${A2ALOCK_VERSION:-}
if [ -z "$program" ]; then
	command -v go >/dev/null || fail 3 "no go in PATH: run actions/setup-go before, or give the input binary"
	program=$work/a2alock
	if [ -n "$version" ]; then
		case $version in
		*[!A-Za-z0-9._+-]* | -*) fail 2 "version: want a tag, a commit, or latest" ;;
		esac
		GOBIN=$work go install "github.com/a2alock/a2alock/cmd/a2alock@$version" || fail 3 "a2alock $version could not be installed"
	else
		(cd "${GITHUB_ACTION_PATH:?}" && go build -o "$program" ./cmd/a2alock) || fail 3 "a2alock could not be built"
	fi
elif ! [ -x "$program" ]; then
	fail 2 "binary: no program there"
fi
case $program in
/* | [A-Za-z]:*) ;;
*) program=$PWD/$program ;;
esac

cd "${A2ALOCK_WORKING_DIRECTORY:-.}" || fail 2 "working-directory: no such folder"

command=${A2ALOCK_COMMAND:-check}
case $command in
check | review | diff | impact | validate) ;;
*) fail 2 "command: want check, review, diff, impact or validate" ;;
esac

# before is the commit that was pushed upon, as the event has it: 40 hex digits
# alone on a line of its outermost object, which no text inside a string can be.
before() {
	[ -r "${GITHUB_EVENT_PATH:-}" ] &&
		sed -nE 's/^  "before": "([0-9a-f]{40})",?$/\1/p' "$GITHUB_EVENT_PATH" | grep -v '^0*$' | head -n 1
}

base=${A2ALOCK_BASE:-}
if [ "$command" = review ] && [ -z "$base" ]; then
	if [ -n "${GITHUB_BASE_REF:-}" ]; then
		base=origin/$GITHUB_BASE_REF
	else
		base=$(before)
	fi
fi

report=$work/report.json
args=("$command" --format github --out "json=$report")
[ -n "${A2ALOCK_CONFIG:-}" ] && args+=(--config "$A2ALOCK_CONFIG")
[ -n "${A2ALOCK_FAIL_ON:-}" ] && args+=(--fail-on "$A2ALOCK_FAIL_ON")
[ "$command" = review ] && [ -n "$base" ] && args+=(--base "$base")
[ -n "${A2ALOCK_SARIF_FILE:-}" ] && args+=(--out "sarif=$A2ALOCK_SARIF_FILE")
[ -n "${A2ALOCK_JUNIT_FILE:-}" ] && args+=(--out "junit=$A2ALOCK_JUNIT_FILE")
[ -n "${A2ALOCK_MARKDOWN_FILE:-}" ] && args+=(--out "markdown=$A2ALOCK_MARKDOWN_FILE")
while IFS= read -r arg; do # one argument a line
	[ -n "$arg" ] && args+=("$arg")
done <<<"${A2ALOCK_ARGS:-}"

"$program" "${args[@]}"
code=$?

# status is a word of ours at a place of ours: the report's first member.
status=
[ -r "$report" ] && status=$(sed -nE 's/^  "status": "([a-z]+)",?$/\1/p' "$report" | head -n 1)
case $code in
0 | 1) [ "$command" = validate ] && { [ "$code" = 0 ] && status=valid || status=invalid; } ;;
3) status=${status:-undecided} ;;
*) status=error ;;
esac
output status "${status:-error}"
output exit-code "$code"
[ -r "$report" ] && output report "$report"
exit "$code"
